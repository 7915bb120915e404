// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/heartbeat.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "hone/base/log.h"

namespace hone {
namespace {

// A run shorter than this is not worth listening for.
constexpr std::chrono::milliseconds kShort{50};

}  // namespace

Heartbeat::Heartbeat(TaskQueue& queue, Clock& clock, TaskQueue::Duration lease_duration)
    : queue_(queue),
      clock_(clock),
      lease_duration_(lease_duration),
      thread_([this](const std::stop_token& stop) {
        try {
          Beat(stop);
        } catch (const std::exception& problem) {
          Log(LogLevel::kError, "heartbeat: {}; leases are no longer renewed", problem.what());
        }
      }) {}

Heartbeat::~Heartbeat() {
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  if (held_) held_->listening.request_stop();
  changed_.notify_all();
}

void Heartbeat::Begin(const Lease& lease, std::stop_source run) {
  const std::lock_guard lock(mutex_);
  const Clock::Monotonic now = clock_.Now();
  held_ =
      Held{lease, std::move(run), now, now + lease_duration_ / 3, now + kShort, std::stop_source{}};
  changed_.notify_all();
}

void Heartbeat::StopListening() {
  const std::lock_guard lock(mutex_);
  if (!held_) return;
  held_->listen = Clock::Monotonic::max();
  held_->listening.request_stop();
}

bool Heartbeat::IsHeld() const {
  const std::lock_guard lock(mutex_);
  return held_ && !held_->is_lost;
}

void Heartbeat::End() {
  const std::lock_guard lock(mutex_);
  if (held_) held_->listening.request_stop();
  held_.reset();
}

void Heartbeat::Beat(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!held_ || held_->is_lost) {
      changed_.wait(lock);
    } else if (clock_.Now() >= held_->next) {
      Renew(lock);
    } else if (clock_.Now() >= held_->listen) {
      Listen(lock);
    } else {
      clock_.WaitUntil(changed_, lock, std::min(held_->next, held_->listen));
    }
  }
}

// Until the next renewal is due.
void Heartbeat::Listen(std::unique_lock<std::mutex>& lock) {
  const Lease lease = held_->lease;
  const std::stop_token stop = held_->listening.get_token();
  const auto wait_timeout =
      std::chrono::ceil<std::chrono::milliseconds>(held_->next - clock_.Now());
  lock.unlock();
  const auto settled = queue_.Await(lease.task, wait_timeout, stop);
  lock.lock();
  const bool is_same = held_ && held_->lease == lease;
  if (!is_same || stop.stop_requested()) return;
  if (!settled) held_->listen = held_->next;  // The renewal will tell what is wrong.
  if (!settled || !*settled) return;
  LogEvent(LogLevel::kNote, "run stopped",
           {{"task", lease.task}, {"reason", "somebody else has settled it"}});
  Lose(lock);
}

void Heartbeat::Renew(std::unique_lock<std::mutex>& lock) {
  const Lease lease = held_->lease;
  const Clock::Monotonic asked = clock_.Now();
  lock.unlock();
  const Result<void> renewed = queue_.Renew(lease, lease_duration_);
  lock.lock();
  const bool is_same = held_ && held_->lease == lease;
  if (!is_same) return;  // Ended meanwhile; the answer concerns nobody.
  held_->next = asked + lease_duration_ / 3;
  if (renewed) {
    held_->renewed = asked;
    return;
  }
  const bool is_lost =
      renewed.error().code == Errc::kStale || clock_.Now() >= held_->renewed + lease_duration_;
  LogEvent(LogLevel::kWarning, is_lost ? "run stopped" : "lease not renewed",
           {{"task", lease.task}, {"reason", renewed.error().message}});
  if (is_lost) Lose(lock);
}

void Heartbeat::Lose(std::unique_lock<std::mutex>& lock) {
  held_->is_lost = true;
  std::stop_source run = held_->run;
  lock.unlock();  // Stopping calls whoever listens.
  run.request_stop();
  lock.lock();
}

}  // namespace hone
