// SPDX-License-Identifier: Apache-2.0
#include "hone/server/alarms.h"

namespace hone {

Alarms::Alarms(Clock& clock) : clock_(clock), thread_([this] { Watch(); }) {}

Alarms::~Alarms() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

Alarms::Id Alarms::Set(Clock::Monotonic when, std::function<void()> ring) {
  const std::lock_guard lock(mutex_);
  const Id id{when, ++count_};
  const auto place = alarms_.emplace(id, std::move(ring)).first;
  if (place == alarms_.begin()) changed_.notify_all();
  return id;
}

void Alarms::Clear(const Id& id) {
  const std::lock_guard lock(mutex_);
  alarms_.erase(id);
}

void Alarms::Watch() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    const Clock::Monotonic next =
        alarms_.empty() ? Clock::Monotonic::max() : alarms_.begin()->first.first;
    if (next > clock_.Now()) {
      clock_.WaitUntil(changed_, lock, next);
      continue;
    }
    auto due = alarms_.extract(alarms_.begin());
    lock.unlock();
    due.mapped()();
    lock.lock();
  }
}

}  // namespace hone
