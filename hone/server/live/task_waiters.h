// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "hone/eval/queue/task_queue.h"
#include "hone/server/http/async.h"
#include "hone/server/live/async_condition.h"
#include "hone/server/live/timer_queue.h"

namespace hone::server {

// Those who wait for tasks to be settled: any number, without a thread each. One thread reads the
// queue's feed and wakes them. Safe for concurrent use.
class TaskWaiters {
 public:
  // Who is called looks for himself: what was settled may have been begun anew since.
  using Waiter = AsyncCondition::Waiter;

  using OnSettled = std::function<void(const Settled&, const Settlement&)>;

  // `post` resumes those who are woken, and runs `on_settled`, which is told of every task that is
  // settled from now on. What is passed by reference outlives this.
  TaskWaiters(TaskQueue& queue, TimerQueue& timers, Post post, OnSettled on_settled);
  ~TaskWaiters();

  std::unique_ptr<Waiter> Register(const TaskId& task) { return waiting_.Register(task); }

  // Waits for the next settled task, whichever it is.
  std::unique_ptr<Waiter> RegisterForAny();

  void Close() { waiting_.Close(); }  // Wakes everyone, and whoever waits later at once.
  void Stop();  // Reads the feed no longer; nothing is posted after it returns.

  std::size_t size() const { return waiting_.size(); }

 private:
  void Read(const std::stop_token& stop);
  bool ReadSome(std::uint64_t& sequence, const std::stop_token& stop);
  void Notify(const Settled& settled);

  TaskQueue& queue_;
  const Post post_;
  const OnSettled on_settled_;
  // Where the feed stands before anybody can wait: what is settled from then on is told.
  const Result<std::uint64_t> start_;

  AsyncCondition waiting_;
  std::jthread reader_;  // Last, so that what it uses is there.
};

}  // namespace hone::server
