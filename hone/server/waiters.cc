// SPDX-License-Identifier: Apache-2.0
#include "hone/server/waiters.h"

#include <chrono>
#include <condition_variable>
#include <utility>
#include <vector>

#include "hone/base/log.h"

namespace hone {
namespace {

constexpr std::size_t kMostAtOnce = 1024;
constexpr std::chrono::milliseconds kPatience{60'000};
constexpr std::chrono::milliseconds kPause{200};  // After the feed failed.

const TaskId kAny;  // No task has an empty id.

void Pause(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, kPause, [] { return false; });
}

}  // namespace

Waiters::Ticket::Ticket(Waiters& waiters, const TaskId& task)
    : waiters_(waiters), wake_(std::make_shared<Wake>(waiters.post_)) {
  const std::lock_guard lock(waiters_.mutex_);
  place_ = waiters_.waiting_.emplace(task, wake_);
  if (waiters_.is_closed_) wake_->Deliver({Woken::Why::kClosing});
}

Waiters::Ticket::~Ticket() {
  const std::lock_guard lock(waiters_.mutex_);
  waiters_.waiting_.erase(place_);
}

Async<Woken> Waiters::Ticket::Wait(Clock::Monotonic until, std::stop_token gone) {
  const std::shared_ptr<Wake> wake = wake_;
  const Alarms::Id alarm =
      waiters_.alarms_.Set(until, [wake] { wake->Deliver({Woken::Why::kTimeout}); });
  Woken woken;
  {
    const std::stop_callback on_gone(gone, [wake] { wake->Deliver({Woken::Why::kGone}); });
    woken = co_await wake->Receive();
  }
  waiters_.alarms_.Clear(alarm);
  co_return woken;
}

Waiters::Waiters(TaskQueue& queue, Alarms& alarms, Post post, OnSettled on_settled)
    : queue_(queue),
      alarms_(alarms),
      post_(std::move(post)),
      on_settled_(std::move(on_settled)),
      start_(queue.LastSettled()),
      reader_([this](const std::stop_token& stop) { Read(stop); }) {}

Waiters::~Waiters() { Stop(); }

void Waiters::Stop() {
  reader_.request_stop();
  if (reader_.joinable()) reader_.join();
}

std::unique_ptr<Waiters::Ticket> Waiters::Enter(const TaskId& task) {
  return std::unique_ptr<Ticket>(new Ticket(*this, task));
}

std::unique_ptr<Waiters::Ticket> Waiters::EnterForAny() { return Enter(kAny); }

void Waiters::Close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  for (const auto& [task, wake] : waiting_) wake->Deliver({Woken::Why::kClosing});
}

std::size_t Waiters::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void Waiters::Read(const std::stop_token& stop) {
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

bool Waiters::ReadSome(std::uint64_t& sequence, const std::stop_token& stop) {
  const auto settled = queue_.SettledAfter(sequence, kMostAtOnce, kPatience, stop);
  if (!settled) {
    Log(LogLevel::kWarning, "the feed of settled tasks: {}", settled.error().message);
    return false;
  }
  if (settled->empty()) return true;
  sequence = settled->back().sequence;
  for (const Settled& one : *settled) post_([this, one] { Tell(one); });
  Wake(kAny, {Woken::Why::kSettled});
  return true;
}

// A task that was forgotten meanwhile has nothing to tell; its waiters look for themselves.
void Waiters::Tell(const Settled& settled) {
  auto end = queue_.Await(settled.task, std::chrono::milliseconds{0});
  Woken woken{Woken::Why::kSettled};
  if (end && *end) {
    woken.settlement = std::make_shared<const Settlement>(std::move(**end));
    on_settled_(settled, *woken.settlement);
  }
  Wake(settled.task, woken);
}

void Waiters::Wake(const TaskId& task, const Woken& woken) {
  const std::lock_guard lock(mutex_);
  const auto [first, last] = waiting_.equal_range(task);
  for (auto place = first; place != last; ++place) place->second->Deliver(woken);
}

}  // namespace hone
