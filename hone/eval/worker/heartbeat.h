// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "hone/base/clock.h"
#include "hone/eval/queue/task_queue.h"

namespace hone {

// Renews the lease that a worker holds, three times a term, from a thread of its own, and listens
// for the task's end: a run whose task is cancelled, or whose deadline passes, is stopped then.
class Heartbeat {
 public:
  // `queue` and `clock` outlive it.
  Heartbeat(TaskQueue& queue, Clock& clock, TaskQueue::Duration lease_duration);
  ~Heartbeat();

  // Renews `lease`, which was just taken, until End. Asks `run` to stop once the lease is lost: the
  // queue said so, or no renewal got through for a whole term.
  void Begin(const Lease& lease, std::stop_source run);

  // The run is over: goes on renewing, but no longer listens, since the task is about to be settled
  // by its own worker.
  void StopListening();

  // True if the lease begun last is still ours, as far as is known.
  bool IsHeld() const;

  void End();

 private:
  struct Held {
    Lease lease;
    std::stop_source run;
    Clock::Monotonic renewed;  // Not later than the queue counts from.
    Clock::Monotonic next;
    Clock::Monotonic listen;  // From when on the task's end is listened for.
    std::stop_source listening;
    bool is_lost = false;
  };

  void Beat(const std::stop_token& stop);
  void Renew(std::unique_lock<std::mutex>& lock);
  void Listen(std::unique_lock<std::mutex>& lock);
  void Lose(std::unique_lock<std::mutex>& lock);

  // Constant after construction.
  TaskQueue& queue_;
  Clock& clock_;
  const TaskQueue::Duration lease_duration_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Held> held_;  // Protected by mutex_.
  std::jthread thread_;       // Last, so that it ends before what it uses.
};

}  // namespace hone
