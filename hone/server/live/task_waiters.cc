// SPDX-License-Identifier: Apache-2.0
#include "hone/server/live/task_waiters.h"

#include <chrono>
#include <utility>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/log.h"

namespace hone::server {
namespace {

constexpr std::size_t kMaxAtOnce = 1024;
constexpr std::chrono::milliseconds kFeedTimeout{60'000};
constexpr std::chrono::milliseconds kPause{200};  // After the feed failed.

const TaskId kAny;  // No task has an empty id.

}  // namespace

TaskWaiters::TaskWaiters(TaskQueue& queue, TimerQueue& timers, Post post, OnSettled on_settled)
    : queue_(queue),
      post_(post),
      on_settled_(std::move(on_settled)),
      start_(queue.LastSettled()),
      waiting_(timers, std::move(post)),
      reader_([this](const std::stop_token& stop) { Read(stop); }) {}

TaskWaiters::~TaskWaiters() { Stop(); }

void TaskWaiters::Stop() {
  reader_.request_stop();
  if (reader_.joinable()) reader_.join();
}

std::unique_ptr<TaskWaiters::Waiter> TaskWaiters::RegisterForAny() { return Register(kAny); }

void TaskWaiters::Read(const std::stop_token& stop) {
  Result<std::uint64_t> last = start_;
  while (!last && !stop.stop_requested()) {
    Log(LogLevel::kWarning, "the feed of settled tasks: {}", last.error().message);
    SleepUntilStop(SystemClock(), kPause, stop);
    last = queue_.LastSettled();
  }
  if (!last) return;
  std::uint64_t sequence = *last;
  while (!stop.stop_requested()) {
    if (!ReadSome(sequence, stop)) SleepUntilStop(SystemClock(), kPause, stop);
  }
}

bool TaskWaiters::ReadSome(std::uint64_t& sequence, const std::stop_token& stop) {
  const auto settled = queue_.SettledAfter(sequence, kMaxAtOnce, kFeedTimeout, stop);
  if (!settled) {
    Log(LogLevel::kWarning, "the feed of settled tasks: {}", settled.error().message);
    return false;
  }
  if (settled->empty()) return true;
  sequence = settled->back().sequence;
  for (const Settled& one : *settled) post_([this, one] { Notify(one); });
  waiting_.Call(kAny);
  return true;
}

// A task that was forgotten meanwhile has nothing to tell.
void TaskWaiters::Notify(const Settled& settled) {
  const auto end = queue_.Await(settled.task, std::chrono::milliseconds{0});
  if (end && *end) on_settled_(settled, **end);
  waiting_.Call(settled.task);
}

}  // namespace hone::server
