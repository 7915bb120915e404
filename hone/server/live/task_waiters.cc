// SPDX-License-Identifier: Apache-2.0
#include "hone/server/live/task_waiters.h"

#include <chrono>
#include <condition_variable>
#include <utility>
#include <vector>

#include "hone/base/log.h"

namespace hone::server {
namespace {

constexpr std::size_t kMaxAtOnce = 1024;
constexpr std::chrono::milliseconds kTaskWaitersWaitTimeout{60'000};
constexpr std::chrono::milliseconds kPause{200};  // After the feed failed.

const TaskId kAny;  // No task has an empty id.

void Pause(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, kPause, [] { return false; });
}

}  // namespace

TaskWaiters::Waiter::Waiter(TaskWaiters& waiters, const TaskId& task)
    : waiters_(waiters), wake_(std::make_shared<Wake>(waiters.post_)) {
  const std::lock_guard lock(waiters_.mutex_);
  place_ = waiters_.waiting_.emplace(task, wake_);
  if (waiters_.is_closed_) wake_->Deliver({WakeEvent::Why::kClosing});
}

TaskWaiters::Waiter::~Waiter() {
  const std::lock_guard lock(waiters_.mutex_);
  waiters_.waiting_.erase(place_);
}

Async<WakeEvent> TaskWaiters::Waiter::Wait(Clock::Monotonic until, std::stop_token gone) {
  const std::shared_ptr<Wake> wake = wake_;
  const TimerQueue::Id alarm =
      waiters_.timers_.Set(until, [wake] { wake->Deliver({WakeEvent::Why::kTimeout}); });
  WakeEvent woken;
  {
    const std::stop_callback on_gone(gone, [wake] { wake->Deliver({WakeEvent::Why::kGone}); });
    woken = co_await wake->Receive();
  }
  waiters_.timers_.Clear(alarm);
  co_return woken;
}

TaskWaiters::TaskWaiters(TaskQueue& queue, TimerQueue& timers, Post post, OnSettled on_settled)
    : queue_(queue),
      timers_(timers),
      post_(std::move(post)),
      on_settled_(std::move(on_settled)),
      start_(queue.LastSettled()),
      reader_([this](const std::stop_token& stop) { Read(stop); }) {}

TaskWaiters::~TaskWaiters() { Stop(); }

void TaskWaiters::Stop() {
  reader_.request_stop();
  if (reader_.joinable()) reader_.join();
}

std::unique_ptr<TaskWaiters::Waiter> TaskWaiters::Register(const TaskId& task) {
  return std::unique_ptr<Waiter>(new Waiter(*this, task));
}

std::unique_ptr<TaskWaiters::Waiter> TaskWaiters::EnterForAny() { return Register(kAny); }

void TaskWaiters::Close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  for (const auto& [task, wake] : waiting_) wake->Deliver({WakeEvent::Why::kClosing});
}

std::size_t TaskWaiters::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void TaskWaiters::Read(const std::stop_token& stop) {
  Result<std::uint64_t> last = start_;
  while (!last && !stop.stop_requested()) {
    Log(LogLevel::kWarning, "the feed of settled tasks: {}", last.error().message);
    Pause(stop);
    last = queue_.LastSettled();
  }
  if (!last) return;
  std::uint64_t sequence = *last;
  while (!stop.stop_requested()) {
    if (!ReadSome(sequence, stop)) Pause(stop);
  }
}

bool TaskWaiters::ReadSome(std::uint64_t& sequence, const std::stop_token& stop) {
  const auto settled = queue_.SettledAfter(sequence, kMaxAtOnce, kTaskWaitersWaitTimeout, stop);
  if (!settled) {
    Log(LogLevel::kWarning, "the feed of settled tasks: {}", settled.error().message);
    return false;
  }
  if (settled->empty()) return true;
  sequence = settled->back().sequence;
  for (const Settled& one : *settled) post_([this, one] { Notify(one); });
  Wake(kAny, {WakeEvent::Why::kSettled});
  return true;
}

// A task that was forgotten meanwhile has nothing to tell; its waiters look for themselves.
void TaskWaiters::Notify(const Settled& settled) {
  auto end = queue_.Await(settled.task, std::chrono::milliseconds{0});
  WakeEvent woken{WakeEvent::Why::kSettled};
  if (end && *end) {
    woken.settlement = std::make_shared<const Settlement>(std::move(**end));
    on_settled_(settled, *woken.settlement);
  }
  Wake(settled.task, woken);
}

void TaskWaiters::Wake(const TaskId& task, const WakeEvent& woken) {
  const std::lock_guard lock(mutex_);
  const auto [first, last] = waiting_.equal_range(task);
  for (auto place = first; place != last; ++place) place->second->Deliver(woken);
}

}  // namespace hone::server
