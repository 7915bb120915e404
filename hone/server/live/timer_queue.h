// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "hone/base/clock.h"

namespace hone::server {

// Calls functions at given times, from one thread, whatever their number. Safe for concurrent use.
class TimerQueue {
 public:
  using Id = std::pair<Clock::Monotonic, std::uint64_t>;

  explicit TimerQueue(Clock& clock);
  ~TimerQueue();  // What has not rung never will.

  // `ring` is short and does not block.
  Id Set(Clock::Monotonic when, std::function<void()> ring);

  // After this it does not ring any more, unless it rings right now.
  void Clear(const Id& id);

 private:
  void Watch();

  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Id, std::function<void()>> timers_;  // Protected by mutex_.
  std::uint64_t count_ = 0;                     // Likewise.
  bool is_ending_ = false;                      // Likewise.
  std::thread thread_;                          // Last, so that what it uses is there.
};

}  // namespace hone::server
