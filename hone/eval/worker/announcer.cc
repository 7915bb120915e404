// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/announcer.h"

#include <exception>
#include <utility>

#include "hone/base/log.h"

namespace hone {
namespace {

std::vector<WorkerCard> Since(std::vector<WorkerCard> cards, WallTime time) {
  for (WorkerCard& card : cards) card.since = time;
  return cards;
}

}  // namespace

Announcer::Announcer(TaskQueue& queue, Clock& clock, std::vector<WorkerCard> cards,
                     TaskQueue::Duration lease_duration)
    : queue_(queue),
      clock_(clock),
      cards_(Since(std::move(cards), clock.Wall())),
      lease_duration_(lease_duration),
      thread_([this](const std::stop_token& stop) {
        try {
          Work(stop);
        } catch (const std::exception& problem) {
          Log(LogLevel::kError, "announcer: {}; the workers are no longer shown", problem.what());
        }
      }) {}

Announcer::~Announcer() {
  thread_.request_stop();
  {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  thread_.join();
  for (const WorkerCard& card : cards_) {
    if (auto gone = queue_.Withdraw(card.name); !gone) {
      Log(LogLevel::kNote, "{}; worker {} is shown a while longer", gone.error().message,
          card.name);
    }
  }
}

void Announcer::AwaitFirst(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [this] { return has_announced_; });
}

void Announcer::Work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    AnnounceAll();
    std::unique_lock lock(mutex_);
    has_announced_ = true;
    changed_.notify_all();
    const Clock::Monotonic next = clock_.Now() + lease_duration_ / 3;
    while (clock_.Now() < next && !stop.stop_requested()) clock_.WaitUntil(changed_, lock, next);
  }
}

void Announcer::AnnounceAll() {
  for (const WorkerCard& card : cards_) {
    const auto announced = queue_.Announce(card, lease_duration_);
    if (!announced && !is_failing_) {
      Log(LogLevel::kWarning, "{}; worker {} is not shown", announced.error().message, card.name);
    }
    is_failing_ = !announced;
    if (is_failing_) return;
  }
}

}  // namespace hone
