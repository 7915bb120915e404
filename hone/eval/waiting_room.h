// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/eval/queue_rules.h"

namespace hone {

// What a try to get a T came to: the T, or the time at which it may succeed with nobody's help.
template <typename T>
struct Attempt {
  std::optional<T> found;
  Clock::Monotonic again = Clock::Monotonic::max();
};

// The callers of one queue that wait for something to change, all under the queue's own mutex.
class WaitingRoom {
 public:
  WaitingRoom(Clock& clock, std::mutex& mutex) : clock_(clock), mutex_(mutex) {}

  // Lets everyone try again.
  void Rouse() { changed_.notify_all(); }

  // Lets everyone who waits try once more and leave. The caller holds the mutex.
  void Dismiss() {
    ++dismissals_;
    changed_.notify_all();
  }

  // Calls `attempt` with the mutex held, again whenever roused or when its `again` comes, until it
  // finds something or fails, `patience` is over, or `stop` is asked for. The caller must not hold
  // the mutex.
  template <typename T, typename Try>
  Result<std::optional<T>> Wait(std::chrono::milliseconds patience, const std::stop_token& stop,
                                Try attempt) {
    // The callback takes the mutex, so it is made before the lock and destroyed after it.
    const std::stop_callback rouse(stop, [this] {
      const std::lock_guard hold(mutex_);
      Rouse();
    });
    std::unique_lock lock(mutex_);
    const auto last = clock_.Now() + std::min(patience, kLongest);
    const std::uint64_t dismissals = dismissals_;
    while (true) {
      Result<Attempt<T>> tried = attempt();
      if (!tried) return tried.error();
      if (tried->found) return std::move(tried->found);
      const bool is_over = clock_.Now() >= last || dismissals != dismissals_;
      if (is_over || stop.stop_requested()) return std::optional<T>{};
      clock_.WaitUntil(changed_, lock, std::min(last, tried->again));
    }
  }

 private:
  Clock& clock_;
  std::mutex& mutex_;
  std::condition_variable changed_;
  std::uint64_t dismissals_ = 0;  // Protected by mutex_.
};

}  // namespace hone
