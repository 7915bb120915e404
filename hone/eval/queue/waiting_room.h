// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/eval/queue/queue_rules.h"
#include "hone/eval/queue/queue_words.h"

namespace hone {

// What a try to get a T came to: the T, or the time at which it may succeed with nobody's help.
template <typename T>
struct Attempt {
  std::optional<T> found;
  Clock::Monotonic again = Clock::Monotonic::max();
};

// The callers of one queue that wait for something, each for its own thing, so that a change calls
// only those whom it concerns: of 2,000 who wait for their tasks one is woken, and of 16 workers
// who could all take a new task, one.
//
// What time alone brings about is noticed by one of all who wait, the timer waiter: it sleeps no
// longer than until the next such time. When it leaves, another is called to take its place.
//
// Everything but Wait is called with the queue's mutex held.
class WaitingRoom {
 public:
  WaitingRoom(Clock& clock, std::mutex& mutex) : clock_(clock), mutex_(mutex) {}

  // What somebody waits for. Those in one line wait for the same.
  struct Waiter;
  struct Line {
    std::vector<Waiter*> waiters;
  };

  // One of each kind of worker that could take a task of this owner with these needs.
  void CallOneFor(const std::string& owner, const Capabilities& needs);
  void CallOneOfEachKind();  // The same for any task.
  void CallFor(const TaskId& task);
  void CallFeed();
  void CallEveryone();

  // Something will happen by itself at `when`: the timer waiter must not sleep beyond.
  void NoteDue(Clock::Monotonic when);
  void WakeTimerWaiter();

  // Lets everyone who waits try once more and leave.
  void Withdraw();

  std::size_t CountTakers() const;  // Who wait to take.

  // Each calls `attempt` with the mutex held, which it may let go of meanwhile, again whenever
  // called or when its `again` comes, until it finds something or fails, `wait_timeout` is over, or
  // `stop` is asked for. The caller must not hold the mutex.
  template <typename T, typename Try>
  Result<std::optional<T>> WaitToTake(const WorkerIdentity& identity,
                                      std::chrono::milliseconds wait_timeout,
                                      const std::stop_token& stop, Try attempt) {
    const Kind kind{identity.serves, identity.has.names, identity.has.memory_mib};
    return Wait<T>(takers_, kind, wait_timeout, stop, attempt);
  }
  template <typename T, typename Try>
  Result<std::optional<T>> WaitFor(const TaskId& task, std::chrono::milliseconds wait_timeout,
                                   const std::stop_token& stop, Try attempt) {
    return Wait<T>(tasks_, task, wait_timeout, stop, attempt);
  }
  template <typename T, typename Try>
  Result<std::optional<T>> WaitForFeed(std::chrono::milliseconds wait_timeout,
                                       const std::stop_token& stop, Try attempt) {
    return Wait<T>(feed_, 0, wait_timeout, stop, attempt);
  }

  struct Waiter {
    std::condition_variable changed;
    bool is_called = false;
    Clock::Monotonic until;              // How long it sleeps, once it does.
    std::list<Waiter*>::iterator place;  // In everyone_.
  };

 private:
  // Whom it serves, the names and the memory that it has.
  using Kind = std::tuple<std::set<std::string>, std::set<std::string>, std::int64_t>;

  template <typename T, typename Lines, typename Key, typename Try>
  Result<std::optional<T>> Wait(Lines& lines, const Key& key,
                                std::chrono::milliseconds wait_timeout, const std::stop_token& stop,
                                Try attempt);

  static void Call(Waiter& waiter);
  static void CallOneIn(const Line& line);
  static void CallAllIn(const Line& line);
  void Leave(Line& line, Waiter& waiter);
  void Sleep(Waiter& waiter, std::unique_lock<std::mutex>& lock, Clock::Monotonic last,
             Clock::Monotonic again);

  Clock& clock_;
  std::mutex& mutex_;

  // State below is protected by mutex_.
  std::map<Kind, Line> takers_;
  std::unordered_map<TaskId, Line> tasks_;
  std::map<int, Line> feed_;     // One line, under 0: all three are alike.
  std::list<Waiter*> everyone_;  // In order of coming; the first is the timer waiter.
  std::uint64_t withdrawals_ = 0;
};

template <typename T, typename Lines, typename Key, typename Try>
Result<std::optional<T>> WaitingRoom::Wait(Lines& lines, const Key& key,
                                           std::chrono::milliseconds wait_timeout,
                                           const std::stop_token& stop, Try attempt) {
  Waiter waiter;
  // The callback takes the mutex, so it is made before the lock and destroyed after it.
  const std::stop_callback call(stop, [this, &waiter] {
    const std::lock_guard hold(mutex_);
    Call(waiter);
  });
  std::unique_lock lock(mutex_);
  const auto last = clock_.Now() + std::min(wait_timeout, kLongest);
  const std::uint64_t withdrawals = withdrawals_;
  Line* line = nullptr;
  while (true) {
    waiter.is_called = false;
    Result<Attempt<T>> tried = attempt();
    const bool is_over =
        clock_.Now() >= last || withdrawals != withdrawals_ || stop.stop_requested();
    if (!tried || tried->found || is_over) {
      if (line != nullptr) {
        Leave(*line, waiter);
        // Another may have more luck, or take what this one was called for while it found this.
        if (!tried || waiter.is_called) CallOneIn(*line);
        if (line->waiters.empty()) lines.erase(key);
      }
      if (!tried) return tried.error();
      return std::move(tried->found);
    }
    if (line == nullptr) {
      line = &lines[key];
      line->waiters.push_back(&waiter);
      waiter.place = everyone_.insert(everyone_.end(), &waiter);
    }
    if (waiter.is_called) continue;  // While it tried: what it found may be older than the call.
    Sleep(waiter, lock, last, tried->again);
  }
}

}  // namespace hone
