// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
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

  // Ends it, and lets go of `until_gone` when nothing of it is left.
  void Add(std::unique_ptr<RunningSandbox> sandbox, std::shared_ptr<void> until_gone);

 private:
  struct Ended {
    std::shared_ptr<void> until_gone;         // First: it goes last.
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
