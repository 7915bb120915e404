// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/heartbeat.h"

#include <exception>
#include <utility>

#include "hone/base/log.h"

namespace hone {

Heartbeat::Heartbeat(TaskQueue& queue, Clock& clock, TaskQueue::Duration term)
    : queue_(queue), clock_(clock), term_(term), thread_([this](const std::stop_token& stop) {
        try {
          Beat(stop);
        } catch (const std::exception& problem) {
          Log(LogLevel::kError, "heartbeat: {}; leases are no longer renewed", problem.what());
        }
      }) {}

Heartbeat::~Heartbeat() {
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void Heartbeat::Begin(const Lease& lease, std::stop_source run) {
  const std::lock_guard lock(mutex_);
  const Clock::Monotonic now = clock_.Now();
  held_ = Held{lease, std::move(run), now, now + term_ / 3};
  changed_.notify_all();
}

bool Heartbeat::IsHeld() const {
  const std::lock_guard lock(mutex_);
  return held_ && !held_->is_lost;
}

void Heartbeat::End() {
  const std::lock_guard lock(mutex_);
  held_.reset();
}

void Heartbeat::Beat(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!held_ || held_->is_lost) {
      changed_.wait(lock);
    } else if (clock_.Now() < held_->next) {
      clock_.WaitUntil(changed_, lock, held_->next);
    } else {
      Renew(lock);
    }
  }
}

void Heartbeat::Renew(std::unique_lock<std::mutex>& lock) {
  const Lease lease = held_->lease;
  const Clock::Monotonic asked = clock_.Now();
  lock.unlock();
  const Result<void> renewed = queue_.Renew(lease, term_);
  lock.lock();
  const bool is_same = held_ && held_->lease == lease;
  if (!is_same) return;  // Ended meanwhile; the answer concerns nobody.
  held_->next = asked + term_ / 3;
  if (renewed) {
    held_->renewed = asked;
    return;
  }
  const bool is_lost =
      renewed.error().code == Errc::kStale || clock_.Now() >= held_->renewed + term_;
  Log(LogLevel::kWarning, "{}{}", renewed.error().message, is_lost ? "; the run is stopped" : "");
  if (!is_lost) return;
  held_->is_lost = true;
  std::stop_source run = held_->run;
  lock.unlock();  // Stopping calls whoever listens.
  run.request_stop();
  lock.lock();
}

}  // namespace hone
