// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "hone/core/task.h"

namespace hone {

// Time as our code sees it, so that a test can own it. Safe for concurrent use.
class Clock {
 public:
  using Duration = std::chrono::nanoseconds;
  using Monotonic = std::chrono::time_point<std::chrono::steady_clock, Duration>;

  virtual ~Clock() = default;

  virtual Monotonic Now() const = 0;  // For durations.
  virtual WallTime Wall() const = 0;  // For what is stored.

  // Waits on `changed` (with `lock` held, as a condition variable does) until it is notified or
  // `until` comes. A fake clock also wakes it when the time is moved.
  virtual void WaitUntil(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                         Monotonic until) = 0;
};

// The machine's clock. It lives as long as the process.
Clock& SystemClock();

// Blocks for this time, or until a stop is requested. True if one was.
bool SleepUntilStop(Clock& clock, Clock::Duration time, const std::stop_token& stop);

// Blocks until a stop is requested.
void AwaitStop(const std::stop_token& stop);

}  // namespace hone
