// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/worker_pool.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "hone/base/host.h"
#include "hone/base/log.h"

namespace hone {

WorkerPool::WorkerPool(TaskQueue& queue, Clock& clock, DomainTable domains, Settings settings)
    : queue_(queue), clock_(clock), settings_(std::move(settings)), domains_(std::move(domains)) {
  if (!settings_.slots.empty()) slots_ = std::make_unique<RunSlots>(settings_.slots);
  Announce();
  for (std::size_t k = 1; k <= settings_.workers; ++k) {
    threads_.emplace_back([this, k](const std::stop_token& stop) {
      try {
        Work(k, stop);
      } catch (const std::exception& problem) {
        Fail({Errc::kUnavailable, fmt::format("worker {}: exception: {}", k, problem.what())});
      }
    });
  }
}

WorkerPool::~WorkerPool() {
  if (auto stopped = Stop(); !stopped) {
    Log(LogLevel::kWarning, "a worker had ended early: {}", stopped.error().message);
  }
}

Result<void> WorkerPool::Stop() {
  for (std::jthread& thread : threads_) thread.request_stop();
  for (std::jthread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  announcer_.reset();
  const std::lock_guard lock(mutex_);
  if (failure_) return *failure_;
  return {};
}

void WorkerPool::AwaitShown(std::chrono::milliseconds limit) {
  if (announcer_) announcer_->AwaitFirst(limit);
}

std::string WorkerPool::NameOf(std::size_t k) const {
  return fmt::format("{}-{}", settings_.worker.name, k);
}

void WorkerPool::Announce() {
  if (settings_.card_term <= TaskQueue::Duration::zero()) return;
  WorkerCard card;
  card.host = settings_.host.empty() ? HostName() : settings_.host;
  card.version = settings_.worker.version;
  card.has = settings_.worker.has;
  card.serves = settings_.worker.serves;
  card.facts = settings_.worker.facts;
  std::vector<WorkerCard> cards(settings_.workers, card);
  for (std::size_t k = 0; k < cards.size(); ++k) cards[k].name = NameOf(k + 1);
  announcer_ = std::make_unique<Announcer>(queue_, clock_, std::move(cards), settings_.card_term);
}

void WorkerPool::Work(std::size_t k, const std::stop_token& stop) {
  WorkerSettings settings = settings_.worker;
  settings.name = NameOf(k);
  const std::unique_ptr<RunWatch> watch = settings_.make_watch();
  Worker worker(queue_, domains_, *watch, clock_, std::move(settings), slots_.get());
  if (auto worked = worker.Run(stop); !worked) Fail(worked.error());
}

void WorkerPool::Fail(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
  }
  if (settings_.on_failure) settings_.on_failure(error);
}

}  // namespace hone
