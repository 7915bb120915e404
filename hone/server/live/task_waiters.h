// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "hone/base/clock.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/server/http/async.h"
#include "hone/server/live/timer_queue.h"

namespace hone::server {

// Why a waiter was woken, and with what.
struct WakeEvent {
  enum class Why {
    kSettled,  // The task that it waited for was settled.
    kTimeout,
    kGone,     // Its client has left.
    kClosing,  // The server is shutting down.
  };
  Why why = Why::kTimeout;
  std::shared_ptr<const Settlement> settlement = nullptr;  // Of the task that was settled.
};

// Those who wait for tasks to be settled: any number, without a thread each. One thread reads the
// queue's feed and wakes them. Safe for concurrent use.
class TaskWaiters {
 public:
  // A place among the waiters. Take it first, then look whether the task is settled already, and
  // only then wait: so nothing is missed.
  class Waiter {
   public:
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter();

    // Once only.
    Async<WakeEvent> Wait(Clock::Monotonic until, std::stop_token gone);

   private:
    friend class TaskWaiters;
    using Wake = Delivery<WakeEvent>;

    Waiter(TaskWaiters& waiters, const TaskId& task);

    TaskWaiters& waiters_;
    std::shared_ptr<Wake> wake_;
    std::multimap<TaskId, std::shared_ptr<Wake>>::iterator place_;
  };

  using OnSettled = std::function<void(const Settled&, const Settlement&)>;

  // `post` resumes those who are woken, and runs `on_settled`, which is told of every task that is
  // settled from now on. What is passed by reference outlives this.
  TaskWaiters(TaskQueue& queue, TimerQueue& timers, Post post, OnSettled on_settled);
  ~TaskWaiters();

  std::unique_ptr<Waiter> Register(const TaskId& task);

  // Waits for the next settled task, whichever it is.
  std::unique_ptr<Waiter> EnterForAny();

  void Close();  // Wakes everyone, and whoever waits later at once.
  void Stop();   // Reads the feed no longer; nothing is posted after it returns.

  std::size_t size() const;

 private:
  void Read(const std::stop_token& stop);
  bool ReadSome(std::uint64_t& sequence, const std::stop_token& stop);
  void Notify(const Settled& settled);
  void Wake(const TaskId& task, const WakeEvent& woken);

  TaskQueue& queue_;
  TimerQueue& timers_;
  const Post post_;
  const OnSettled on_settled_;
  // Where the feed stands before anybody can wait: what is settled from then on is told.
  const Result<std::uint64_t> start_;

  mutable std::mutex mutex_;
  std::multimap<TaskId, std::shared_ptr<Waiter::Wake>> waiting_;  // Protected by mutex_.
  bool is_closed_ = false;                                        // Likewise.
  std::jthread reader_;  // Last, so that what it uses is there.
};

}  // namespace hone::server
