// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "hone/sandbox/running_sandbox.h"

namespace hone {

// Sees sandboxes off in the background, where ending one takes long: a driver that takes a context
// apart, memory by the gigabyte. Safe for concurrent use.
class EndedSandboxes {
 public:
  EndedSandboxes();
  EndedSandboxes(const EndedSandboxes&) = delete;
  EndedSandboxes& operator=(const EndedSandboxes&) = delete;
  // Returns when nothing of any of them is left.
  ~EndedSandboxes();

  // Ends it at once. What `hold` gives, in the background, is held until nothing of it is left.
  using Hold = std::function<std::shared_ptr<void>()>;
  void Add(std::unique_ptr<RunningSandbox> sandbox, Hold hold);

 private:
  struct Ended {
    Hold hold;
    std::unique_ptr<RunningSandbox> sandbox;  // Its destructor waits.
  };

  void SeeOff();

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<Ended> ended_;  // Protected by mutex_, as is the next one.
  bool is_over_ = false;
  std::thread thread_;  // Last: it uses all the others.
};

}  // namespace hone
