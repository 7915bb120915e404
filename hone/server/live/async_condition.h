// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>

#include "hone/base/clock.h"
#include "hone/server/http/async.h"
#include "hone/server/live/timer_queue.h"

namespace hone::server {

enum class WakeReason {
  kCall,  // Something changed, perhaps.
  kTimeout,
  kGone,     // Its client has left.
  kClosing,  // The server is shutting down.
};

// Those who wait for something to change: any number, without a thread each. Safe for concurrent
// use.
class AsyncCondition {
 public:
  // A place in the list. Take it first, then look, and only then wait: so nothing is missed.
  class Waiter {
   public:
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter();

    Async<WakeReason> Wait(Clock::Monotonic until, std::stop_token gone);  // Once only.

   private:
    friend class AsyncCondition;
    using Wake = Delivery<WakeReason>;

    explicit Waiter(AsyncCondition& list);

    AsyncCondition& list_;
    std::shared_ptr<Wake> wake_;
    std::list<std::shared_ptr<Wake>>::iterator place_;
  };

  // `post` resumes those who are woken. What is passed by reference outlives this.
  AsyncCondition(TimerQueue& timers, Post post) : timers_(timers), post_(std::move(post)) {}

  std::unique_ptr<Waiter> Register();
  void CallAll();
  void Close();  // Wakes everyone, and whoever waits later at once.
  std::size_t size() const;

 private:
  TimerQueue& timers_;
  const Post post_;
  mutable std::mutex mutex_;
  std::list<std::shared_ptr<Waiter::Wake>> waiting_;  // Protected by mutex_.
  bool is_closed_ = false;                            // Likewise.
};

}  // namespace hone::server
