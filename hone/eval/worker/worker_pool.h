// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/domains/domain.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/eval/worker/announcer.h"
#include "hone/eval/worker/domain_cache.h"
#include "hone/eval/worker/run_slots.h"
#include "hone/eval/worker/run_watch.h"
#include "hone/eval/worker/worker.h"

namespace hone {

// Workers on threads of this process, which share their domains.
class WorkerPool {
 public:
  struct Settings {
    std::size_t workers = 1;
    WorkerSettings worker;  // Of each; the k-th is named "<name>-<k>", from 1.
    std::function<std::unique_ptr<RunWatch>()> make_watch;  // Called once for each worker.
    std::vector<RunSlot> slots;  // Where timed runs are made; none: anywhere, any number at a time.
    std::string host;            // For the workers' cards; empty: this machine's name.
    TaskQueue::Duration card_term{30'000};  // How long the cards outlive us; zero: none are shown.
    std::function<void(const Error&)>
        on_failure;  // A worker ended for want of a queue; any thread.
  };

  // They start at once. `queue` and `clock` outlive the pool.
  WorkerPool(TaskQueue& queue, Clock& clock, DomainTable domains, Settings settings);
  ~WorkerPool();  // Stops.

  // Returns when whoever looks at the queue sees them, or when `limit` is over.
  void AwaitShown(std::chrono::milliseconds limit);

  // Ends all runs, releases their tasks, and waits for the threads; again is harmless. The first
  // Error that ended a worker, if any.
  Result<void> Stop();

 private:
  std::string NameOf(std::size_t k) const;
  void Announce();
  void Work(std::size_t k, const std::stop_token& stop);
  void Fail(const Error& error);

  // Constant after construction.
  TaskQueue& queue_;
  Clock& clock_;
  const Settings settings_;

  DomainCache domains_;
  std::unique_ptr<RunSlots> slots_;  // Null if there are none.
  std::mutex mutex_;
  std::optional<Error> failure_;  // Protected by mutex_.
  std::unique_ptr<Announcer> announcer_;
  std::vector<std::jthread> threads_;  // Last, so that they end before what they use.
};

}  // namespace hone
