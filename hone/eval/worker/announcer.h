// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "hone/base/clock.h"
#include "hone/eval/queue/task_queue.h"

namespace hone {

// Shows workers to everyone who looks at the queue as long as this lives: announces them at once
// and three times a term, from a thread of its own, and takes them away at the end.
class Announcer {
 public:
  // `queue` and `clock` outlive it. The clock says since when the workers are there.
  Announcer(TaskQueue& queue, Clock& clock, std::vector<WorkerCard> cards,
            TaskQueue::Duration lease_duration);
  ~Announcer();

  // Returns when they were announced for the first time, or when `limit` is over.
  void AwaitFirst(std::chrono::milliseconds limit);

 private:
  void Work(const std::stop_token& stop);
  void AnnounceAll();

  // Constant after construction.
  TaskQueue& queue_;
  Clock& clock_;
  const std::vector<WorkerCard> cards_;
  const TaskQueue::Duration lease_duration_;

  bool is_failing_ = false;  // Only of the thread: a queue that is away is told of once.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_announced_ = false;  // Protected by mutex_.
  std::jthread thread_;         // Last, so that it ends before what it uses.
};

}  // namespace hone
