// SPDX-License-Identifier: Apache-2.0
#include "hone/server/live/timer_queue.h"

namespace hone::server {

TimerQueue::TimerQueue(Clock& clock) : clock_(clock), thread_([this] { Watch(); }) {}

TimerQueue::~TimerQueue() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

TimerQueue::Id TimerQueue::Set(Clock::Monotonic when, std::function<void()> ring) {
  const std::lock_guard lock(mutex_);
  const Id id{when, ++count_};
  const auto place = timers_.emplace(id, std::move(ring)).first;
  if (place == timers_.begin()) changed_.notify_all();
  return id;
}

void TimerQueue::Clear(const Id& id) {
  const std::lock_guard lock(mutex_);
  timers_.erase(id);
}

void TimerQueue::Watch() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    const Clock::Monotonic next =
        timers_.empty() ? Clock::Monotonic::max() : timers_.begin()->first.first;
    if (next > clock_.Now()) {
      clock_.WaitUntil(changed_, lock, next);
      continue;
    }
    auto due = timers_.extract(timers_.begin());
    lock.unlock();
    due.mapped()();
    lock.lock();
  }
}

}  // namespace hone::server
