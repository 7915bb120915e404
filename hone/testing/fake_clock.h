// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <set>

#include "hone/base/clock.h"
#include "hone/core/task.h"

namespace hone {

// A clock that stands still until it is moved. Moving it wakes every waiter of WaitUntil.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(WallTime start = WallTime{std::chrono::seconds{1'700'000'000}});

  Monotonic Now() const override;
  WallTime Wall() const override;
  void WaitUntil(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                 Monotonic until) override;

  // Takes the mutexes of the waiters in turn: the caller must hold none of them.
  void Advance(Duration step);

  // Blocks until this many threads are inside WaitUntil, for a minute at most; then it aborts.
  void AwaitWaiters(std::size_t count);

  // When time alone wakes the first of those inside WaitUntil; Monotonic::max() if nobody waits.
  Monotonic NextWake() const;

 private:
  struct Waiter {
    std::condition_variable* changed;
    std::mutex* mutex;
    Monotonic until;
    int wakers;  // Calls of Advance that are about to notify it.
  };

  mutable std::mutex mutex_;
  WallTime wall_;
  Monotonic now_;
  std::set<Waiter*> waiters_;
  std::condition_variable waiters_changed_;
};

}  // namespace hone
