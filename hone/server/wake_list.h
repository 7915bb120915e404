// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>

#include "hone/base/clock.h"
#include "hone/server/alarms.h"
#include "hone/server/async.h"

namespace hone {

enum class WakeReason {
  kCall,  // Something changed, perhaps.
  kTimeout,
  kGone,     // Its client has left.
  kClosing,  // The server is shutting down.
};

// Those who wait for something to change: any number, without a thread each. Safe for concurrent
// use.
class WakeList {
 public:
  // A place in the list. Take it first, then look, and only then wait: so nothing is missed.
  class Ticket {
   public:
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    ~Ticket();

    Async<WakeReason> Wait(Clock::Monotonic until, std::stop_token gone);  // Once only.

   private:
    friend class WakeList;
    using Wake = Delivery<WakeReason>;

    explicit Ticket(WakeList& list);

    WakeList& list_;
    std::shared_ptr<Wake> wake_;
    std::list<std::shared_ptr<Wake>>::iterator place_;
  };

  // `post` resumes those who are woken. What is passed by reference outlives this.
  WakeList(Alarms& alarms, Post post) : alarms_(alarms), post_(std::move(post)) {}

  std::unique_ptr<Ticket> Enter();
  void CallAll();
  void Close();  // Wakes everyone, and whoever waits later at once.
  std::size_t size() const;

 private:
  Alarms& alarms_;
  const Post post_;
  mutable std::mutex mutex_;
  std::list<std::shared_ptr<Ticket::Wake>> waiting_;  // Protected by mutex_.
  bool is_closed_ = false;                            // Likewise.
};

}  // namespace hone
