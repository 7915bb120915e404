// SPDX-License-Identifier: Apache-2.0
#include "hone/base/clock.h"

#include <vector>

#include "hone/core/check.h"

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

FakeClock::FakeClock(WallTime start) : wall_(start), now_(std::chrono::hours{1}) {}

Clock::Monotonic FakeClock::Now() const {
  const std::scoped_lock own(mutex_);
  return now_;
}

WallTime FakeClock::Wall() const {
  const std::scoped_lock own(mutex_);
  return wall_;
}

// The waiter is registered while the caller's mutex is held, and Advance takes that mutex before it
// notifies: so Advance either sees no waiter and the waiter sees the new time, or it notifies after
// the wait has begun. The waiter leaves only when no Advance is about to touch its condition
// variable, which the caller may destroy next.
void FakeClock::WaitUntil(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                          Monotonic until) {
  Waiter waiter{&changed, lock.mutex(), 0};
  {
    const std::scoped_lock own(mutex_);
    if (now_ >= until) return;
    waiters_.insert(&waiter);
  }
  waiters_changed_.notify_all();
  changed.wait(lock);
  lock.unlock();
  {
    std::unique_lock own(mutex_);
    waiters_changed_.wait(own, [&waiter] { return waiter.wakers == 0; });
    waiters_.erase(&waiter);
  }
  lock.lock();
}

void FakeClock::Advance(Duration step) {
  std::vector<Waiter*> waiters;
  {
    const std::scoped_lock own(mutex_);
    now_ += step;
    wall_ += std::chrono::floor<std::chrono::microseconds>(step);
    waiters.assign(waiters_.begin(), waiters_.end());
    for (Waiter* waiter : waiters) ++waiter->wakers;
  }
  for (Waiter* waiter : waiters) {
    const std::scoped_lock theirs(*waiter->mutex);
    waiter->changed->notify_all();
  }
  {
    const std::scoped_lock own(mutex_);
    for (Waiter* waiter : waiters) --waiter->wakers;
  }
  waiters_changed_.notify_all();
}

void FakeClock::AwaitWaiters(std::size_t count) {
  std::unique_lock own(mutex_);
  HONE_CHECK(waiters_changed_.wait_for(own, std::chrono::minutes{1},
                                       [this, count] { return waiters_.size() >= count; }));
}

}  // namespace hone
