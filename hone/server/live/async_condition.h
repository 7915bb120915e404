// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

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

// Those who wait for something to change: any number, without a thread each. Each waits for one
// key; where there is only one thing to wait for, the key is empty. Safe for concurrent use.
class AsyncCondition {
 public:
  // A place among the waiters. Take it first, then look, and only then wait: so nothing is missed.
  class Waiter {
   public:
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
      const std::lock_guard lock(condition_.mutex_);
      condition_.waiting_.erase(place_);
    }

    // Once only.
    Async<WakeReason> Wait(Clock::Monotonic until, std::stop_token gone) {
      const std::shared_ptr<Wake> wake = wake_;
      const TimerQueue::Id timer =
          condition_.timers_.Set(until, [wake] { wake->Deliver(WakeReason::kTimeout); });
      // Not in a block of its own: g++ 12 names what it keeps of one differently in each source,
      // which is one type with two definitions to the linker.
      const std::function<void()> leave = [wake] { wake->Deliver(WakeReason::kGone); };
      std::optional<std::stop_callback<std::function<void()>>> on_gone(std::in_place, gone, leave);
      const WakeReason woken = co_await wake->Receive();
      on_gone.reset();
      condition_.timers_.Clear(timer);
      co_return woken;
    }

   private:
    friend class AsyncCondition;
    using Wake = Delivery<WakeReason>;

    Waiter(AsyncCondition& condition, std::string key)
        : condition_(condition), wake_(std::make_shared<Wake>(condition.post_)) {
      const std::lock_guard lock(condition_.mutex_);
      place_ = condition_.waiting_.emplace(std::move(key), wake_);
      if (condition_.is_closed_) wake_->Deliver(WakeReason::kClosing);
    }

    AsyncCondition& condition_;
    std::shared_ptr<Wake> wake_;
    std::multimap<std::string, std::shared_ptr<Wake>>::iterator place_;
  };

  // `post` resumes those who are woken. What is passed by reference outlives this.
  AsyncCondition(TimerQueue& timers, Post post) : timers_(timers), post_(std::move(post)) {}

  std::unique_ptr<Waiter> Register(std::string key = {}) {
    return std::unique_ptr<Waiter>(new Waiter(*this, std::move(key)));
  }

  // Wakes those who wait for this key.
  void Call(const std::string& key = {}) {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = waiting_.equal_range(key);
    for (auto place = first; place != last; ++place) {
      place->second->Deliver(WakeReason::kCall);
    }
  }

  // Wakes everyone, and whoever waits later at once.
  void Close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    for (const auto& [key, wake] : waiting_) wake->Deliver(WakeReason::kClosing);
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

 private:
  TimerQueue& timers_;
  const Post post_;
  mutable std::mutex mutex_;
  std::multimap<std::string, std::shared_ptr<Waiter::Wake>>
      waiting_;             // By key. Protected by mutex_.
  bool is_closed_ = false;  // Likewise.
};

}  // namespace hone::server
