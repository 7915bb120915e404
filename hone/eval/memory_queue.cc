// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/memory_queue.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "hone/eval/queue_rules.h"
#include "hone/eval/waiting_room.h"

namespace hone {
namespace {

using Time = Clock::Monotonic;

enum class State { kWaiting, kLeased, kSettled };

struct Entry {
  Task task;
  std::uint64_t sequence = 0;
  Time deadline = Time::max();

  State state = State::kWaiting;
  std::uint64_t generation = 0;
  int attempts = 0;
  Time lease_end = Time::max();  // Of a leased task.
  Time due = Time::max();        // As listed in due_.
  std::optional<Settlement> settlement;
};

// Higher priority first, then older first.
struct GoesFirst {
  bool operator()(const Entry* a, const Entry* b) const {
    return std::tuple(-a->task.priority, a->sequence) < std::tuple(-b->task.priority, b->sequence);
  }
};

class MemoryQueue final : public TaskQueue {
 public:
  explicit MemoryQueue(Clock& clock)
      : clock_(clock), takers_(clock, mutex_), awaiters_(clock, mutex_) {}

  Result<void> Push(const Task& task) override {
    if (auto fit = CheckTask(task); !fit) return fit.error();
    const std::lock_guard lock(mutex_);
    auto [place, is_new] = entries_.try_emplace(task.id);
    Entry& entry = place->second;
    if (!is_new) {
      if (entry.task != task) return OtherBody(task.id);
      return {};
    }
    entry.task = task;
    entry.sequence = ++pushed_;
    if (task.deadline) entry.deadline = clock_.Now() + (*task.deadline - clock_.Wall());
    Offer(entry);
    return {};
  }

  Result<std::optional<Claim>> Take(const Capabilities& has, Duration term, Duration patience,
                                    std::stop_token stop) override {
    return takers_.Wait<Claim>(patience, stop, [&]() -> Result<Attempt<Claim>> {
      Sweep();
      Entry* first = nullptr;
      for (const auto& [needs, line] : lines_) {
        if (line.empty() || !has.Cover({needs.first, needs.second})) continue;
        if (first == nullptr || GoesFirst{}(*line.begin(), first)) first = *line.begin();
      }
      if (first == nullptr) return Attempt<Claim>{std::nullopt, NextDue()};
      LineOf(*first).erase(first);
      first->state = State::kLeased;
      ++first->generation;
      first->lease_end = clock_.Now() + std::min(term, kLongest);
      Reschedule(*first);
      return Attempt<Claim>{Claim{{first->task.id, first->generation}, first->task}};
    });
  }

  Result<void> Renew(const Lease& lease, Duration term) override {
    const std::lock_guard lock(mutex_);
    Entry* entry = HeldUnder(lease);
    if (entry == nullptr) return LostLease(lease);
    entry->lease_end = clock_.Now() + std::min(term, kLongest);
    Reschedule(*entry);
    return {};
  }

  Result<void> Settle(const Lease& lease, const Evaluation& evaluation) override {
    if (auto fit = CheckSettles(lease, evaluation); !fit) return fit.error();
    const std::lock_guard lock(mutex_);
    Entry* entry = HeldUnder(lease);
    if (entry == nullptr) return LostLease(lease);
    End(*entry, {evaluation});
    return {};
  }

  Result<void> Return(const Lease& lease, const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    Entry* entry = HeldUnder(lease);
    if (entry == nullptr) return LostLease(lease);
    CountFailure(*entry, reason);
    return {};
  }

  Result<void> Release(const Lease& lease) override {
    const std::lock_guard lock(mutex_);
    Entry* entry = HeldUnder(lease);
    if (entry == nullptr) return LostLease(lease);
    Offer(*entry);
    return {};
  }

  Result<void> Cancel(const TaskId& task) override {
    const std::lock_guard lock(mutex_);
    Sweep();
    const auto place = entries_.find(task);
    if (place == entries_.end()) return UnknownTask(task);
    if (place->second.state != State::kSettled) {
      End(place->second, {Settlement::Drop{Dropped::kCancelled, std::string(kCancelledReason)}});
    }
    return {};
  }

  Result<std::optional<Settlement>> Await(const TaskId& task, Duration patience,
                                          std::stop_token stop) override {
    return awaiters_.Wait<Settlement>(patience, stop, [&]() -> Result<Attempt<Settlement>> {
      Sweep();
      const auto place = entries_.find(task);
      if (place == entries_.end()) return UnknownTask(task);
      return Attempt<Settlement>{place->second.settlement, NextDue()};
    });
  }

  void Wake() override {
    const std::lock_guard lock(mutex_);
    takers_.Dismiss();
    awaiters_.Dismiss();
  }

 private:
  using Needs = std::pair<std::set<std::string>, std::int64_t>;
  using Line = std::set<Entry*, GoesFirst>;

  // All of what follows is called with the mutex held.

  Line& LineOf(const Entry& entry) {
    return lines_[{entry.task.needs.names, entry.task.needs.memory_mib}];
  }

  void Offer(Entry& entry) {
    entry.state = State::kWaiting;
    LineOf(entry).insert(&entry);
    Reschedule(entry);
    takers_.Rouse();
  }

  void End(Entry& entry, Settlement settlement) {
    if (entry.state == State::kWaiting) LineOf(entry).erase(&entry);
    entry.state = State::kSettled;
    entry.settlement = std::move(settlement);
    Reschedule(entry);
    awaiters_.Rouse();
  }

  void CountFailure(Entry& entry, std::string_view reason) {
    if (++entry.attempts < entry.task.most_attempts) return Offer(entry);
    End(entry, {Settlement::Drop{Dropped::kAbandoned, AbandonedReason(entry.attempts, reason)}});
  }

  // Lists the entry under the next time at which it changes by itself. Whoever waits for a later
  // time than that must look again.
  void Reschedule(Entry& entry) {
    const Time next = NextDue();
    due_.erase({entry.due, &entry});
    entry.due = entry.state == State::kSettled ? Time::max() : entry.deadline;
    if (entry.state == State::kLeased) entry.due = std::min(entry.due, entry.lease_end);
    if (entry.due != Time::max()) due_.insert({entry.due, &entry});
    if (NextDue() >= next) return;
    takers_.Rouse();
    awaiters_.Rouse();
  }

  // Does what time alone has brought about: deadlines and leases that have passed.
  void Sweep() {
    const Time now = clock_.Now();
    while (!due_.empty() && due_.begin()->first <= now) {
      Entry& entry = *due_.begin()->second;
      if (entry.deadline <= now) {
        End(entry, {Settlement::Drop{Dropped::kExpired, std::string(kExpiredReason)}});
      } else {
        CountFailure(entry, kLeaseRanOut);
      }
    }
  }

  Time NextDue() const { return due_.empty() ? Time::max() : due_.begin()->first; }

  Entry* HeldUnder(const Lease& lease) {
    Sweep();
    const auto place = entries_.find(lease.task);
    if (place == entries_.end()) return nullptr;
    Entry& entry = place->second;
    return entry.state == State::kLeased && entry.generation == lease.generation ? &entry : nullptr;
  }

  Clock& clock_;
  std::mutex mutex_;

  // State below is protected by mutex_.
  WaitingRoom takers_;
  WaitingRoom awaiters_;
  std::unordered_map<TaskId, Entry> entries_;  // Its entries do not move.
  std::map<Needs, Line> lines_;
  std::set<std::pair<Time, Entry*>> due_;
  std::uint64_t pushed_ = 0;
};

}  // namespace

std::unique_ptr<TaskQueue> MakeMemoryQueue(Clock& clock) {
  return std::make_unique<MemoryQueue>(clock);
}

}  // namespace hone
