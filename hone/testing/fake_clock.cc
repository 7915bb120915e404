// SPDX-License-Identifier: Apache-2.0
#include "hone/testing/fake_clock.h"

#include <algorithm>
#include <vector>

#include "hone/core/check.h"

namespace hone {

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
  Waiter waiter{&changed, lock.mutex(), until, 0};
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

Clock::Monotonic FakeClock::NextWake() const {
  const std::scoped_lock own(mutex_);
  Monotonic next = Monotonic::max();
  for (const Waiter* waiter : waiters_) next = std::min(next, waiter->until);
  return next;
}

}  // namespace hone
