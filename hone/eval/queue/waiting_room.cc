// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/queue/waiting_room.h"

namespace hone {

void WaitingRoom::Call(Waiter& waiter) {
  waiter.is_called = true;
  waiter.changed.notify_one();
}

// The one who came last: its caches are warm, and the first is the timer waiter.
void WaitingRoom::CallOneIn(const Line& line) {
  for (auto place = line.waiters.rbegin(); place != line.waiters.rend(); ++place) {
    if ((*place)->is_called) continue;
    return Call(**place);
  }
}

void WaitingRoom::CallAllIn(const Line& line) {
  for (Waiter* waiter : line.waiters) Call(*waiter);
}

void WaitingRoom::CallOneFor(const std::string& owner, const Capabilities& needs) {
  for (const auto& [kind, line] : takers_) {
    const auto& [serves, names, memory] = kind;
    if (serves.contains(owner) && Capabilities{names, memory}.Cover(needs)) CallOneIn(line);
  }
}

void WaitingRoom::CallOneOfEachKind() {
  for (const auto& [kind, line] : takers_) CallOneIn(line);
}

void WaitingRoom::CallFor(const TaskId& task) {
  if (const auto place = tasks_.find(task); place != tasks_.end()) CallAllIn(place->second);
}

void WaitingRoom::CallFeed() {
  for (const auto& [unused, line] : feed_) CallAllIn(line);
}

void WaitingRoom::CallEveryone() {
  for (Waiter* waiter : everyone_) Call(*waiter);
}

void WaitingRoom::NoteDue(Clock::Monotonic when) {
  if (!everyone_.empty() && when < everyone_.front()->until) WakeTimerWaiter();
}

void WaitingRoom::WakeTimerWaiter() {
  if (!everyone_.empty()) Call(*everyone_.front());
}

void WaitingRoom::Withdraw() {
  ++withdrawals_;
  CallEveryone();
}

std::size_t WaitingRoom::CountTakers() const {
  std::size_t count = 0;
  for (const auto& [kind, line] : takers_) count += line.waiters.size();
  return count;
}

void WaitingRoom::Leave(Line& line, Waiter& waiter) {
  const bool was_timer_waiter = everyone_.front() == &waiter;
  everyone_.erase(waiter.place);
  std::erase(line.waiters, &waiter);
  if (was_timer_waiter) WakeTimerWaiter();
}

void WaitingRoom::Sleep(Waiter& waiter, std::unique_lock<std::mutex>& lock, Clock::Monotonic last,
                        Clock::Monotonic again) {
  const bool is_timer_waiter = everyone_.front() == &waiter;
  waiter.until = is_timer_waiter ? std::min(last, again) : last;
  clock_.WaitUntil(waiter.changed, lock, waiter.until);
}

}  // namespace hone
