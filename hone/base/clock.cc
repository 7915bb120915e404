// SPDX-License-Identifier: Apache-2.0
#include "hone/base/clock.h"

namespace hone {
namespace {

class MachineClock final : public Clock {
 public:
  Monotonic Now() const override { return std::chrono::steady_clock::now(); }

  WallTime Wall() const override {
    return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
  }

  void WaitUntil(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                 Monotonic until) override {
    changed.wait_until(lock, until);
  }
};

}  // namespace

Clock& SystemClock() {
  static MachineClock clock;
  return clock;
}

bool SleepUntilStop(Clock& clock, Clock::Duration time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable changed;
  const std::stop_callback wake(stop, [&] {
    const std::lock_guard lock(mutex);
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  const Clock::Monotonic end = clock.Now() + time;
  while (clock.Now() < end && !stop.stop_requested()) clock.WaitUntil(changed, lock, end);
  return stop.stop_requested();
}

void AwaitStop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

}  // namespace hone
