// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/queue/memory_queue.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hone/eval/queue/queue_rules.h"
#include "hone/eval/queue/waiting_room.h"

namespace hone {
namespace {

using Time = Clock::Monotonic;

struct Entry {
  Task task;
  std::uint64_t sequence = 0;  // Of pushing.
  std::int64_t rank = 0;
  WallTime pushed;
  Time deadline = Time::max();

  TaskState state = TaskState::kWaiting;
  std::uint64_t generation = 0;
  int attempts = 0;
  std::string worker;
  std::optional<WallTime> taken;
  Time lease_end = Time::max();  // Of a held task.
  Time due = Time::max();        // As listed in due_.

  std::shared_ptr<const Settlement> settlement;
  WallTime settled;
  std::uint64_t settled_sequence = 0;
};

struct GoesFirst {
  bool operator()(const Entry* a, const Entry* b) const {
    return std::tie(a->rank, a->sequence) < std::tie(b->rank, b->sequence);
  }
};

class MemoryQueue final : public TaskQueue {
 public:
  explicit MemoryQueue(Clock& clock) : clock_(clock), room_(clock, mutex_) {}

  Result<void> Push(const Task& task) override {
    if (auto fit = CheckTask(task); !fit) return fit.error();
    Task copy = task;  // Made while nobody waits for it.
    const std::lock_guard lock(mutex_);
    auto [place, is_new] = entries_.try_emplace(task.id);
    Entry& entry = place->second;
    if (!is_new) {
      if (entry.task != task) return OtherBody(task.id);
      return {};
    }
    entry.task = std::move(copy);
    entry.sequence = ++pushed_;
    entry.pushed = clock_.Wall();
    entry.rank = RankOf(Microseconds(clock_.Now()), task.priority);
    entry.generation = forgotten_generation_;
    if (task.deadline) entry.deadline = clock_.Now() + (*task.deadline - entry.pushed);
    Offer(entry);
    return {};
  }

  Result<std::optional<Claim>> Take(const WorkerIdentity& identity, Duration lease_duration,
                                    Duration wait_timeout, std::stop_token stop) override {
    return room_.WaitToTake<Claim>(identity, wait_timeout, stop, [&]() -> Result<Attempt<Claim>> {
      Sweep();
      Entry* first = FirstFor(identity);
      if (first == nullptr) return Attempt<Claim>{std::nullopt, NextDue()};
      return Attempt<Claim>{Hold(*first, identity.name, lease_duration)};
    });
  }

  Result<void> Renew(const Lease& lease, Duration lease_duration) override {
    const std::lock_guard lock(mutex_);
    Entry* entry = HeldUnder(lease);
    if (entry == nullptr) return LostLease(lease);
    entry->lease_end = clock_.Now() + std::min(lease_duration, kLongest);
    Reschedule(*entry);
    return {};
  }

  Result<void> Settle(const Lease& lease, const Evaluation& evaluation) override {
    if (auto fit = CheckSettles(lease, evaluation); !fit) return fit.error();
    Settlement settlement{evaluation};  // Copied while nobody waits for it.
    const std::lock_guard lock(mutex_);
    Entry* entry = HeldUnder(lease);
    if (entry == nullptr) return LostLease(lease);
    End(*entry, std::move(settlement));
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
    Entry* entry = Find(task);
    if (entry == nullptr) return UnknownTask(task);
    if (entry->state != TaskState::kSettled) {
      End(*entry, {Settlement::Drop{Dropped::kCancelled, std::string(kCancelledReason)}});
    }
    return {};
  }

  Result<std::optional<Settlement>> Await(const TaskId& task, Duration wait_timeout,
                                          std::stop_token stop) override {
    return room_.WaitFor<Settlement>(task, wait_timeout, stop,
                                     [&]() -> Result<Attempt<Settlement>> {
                                       const Entry* entry = Find(task);
                                       if (entry == nullptr) return UnknownTask(task);
                                       Attempt<Settlement> attempt{std::nullopt, NextDue()};
                                       if (entry->settlement) attempt.found = *entry->settlement;
                                       return attempt;
                                     });
  }

  Result<TaskView> Look(const TaskId& task) override {
    const std::lock_guard lock(mutex_);
    const Entry* entry = Find(task);
    if (entry == nullptr) return UnknownTask(task);
    TaskView view{entry->task,  entry->state,    entry->pushed, entry->taken,
                  std::nullopt, entry->attempts, entry->worker, 0};
    if (entry->state == TaskState::kSettled) view.settled = entry->settled;
    view.settlement = entry->settlement;
    if (entry->state == TaskState::kWaiting) view.ahead = CountAhead(*entry);
    return view;
  }

  Result<QueueCounts> Count() override {
    const std::lock_guard lock(mutex_);
    Sweep();
    QueueCounts counts;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      counts.waiting.push_back({level->first, static_cast<std::int64_t>(level->second.size()),
                                (*level->second.begin())->pushed});
    }
    counts.held = held_;
    counts.settled = static_cast<std::int64_t>(feed_.size());
    return counts;
  }

  Result<void> Announce(const WorkerCard& card, Duration lease_duration) override {
    const std::lock_guard lock(mutex_);
    DropOldCards();
    Shown& shown = cards_[card.name];
    shown = {card, clock_.Now() + std::min(lease_duration, kLongest)};
    shown.card.seen = clock_.Wall();
    return {};
  }

  Result<void> Withdraw(const std::string& worker) override {
    const std::lock_guard lock(mutex_);
    cards_.erase(worker);
    return {};
  }

  Result<std::vector<WorkerCard>> Workers() override {
    const std::lock_guard lock(mutex_);
    DropOldCards();
    std::vector<WorkerCard> cards;
    for (const auto& [name, shown] : cards_) cards.push_back(shown.card);
    return cards;
  }

  Result<std::vector<Settled>> SettledAfter(std::uint64_t sequence, std::size_t max,
                                            Duration wait_timeout, std::stop_token stop) override {
    using Batch = std::vector<Settled>;
    auto batch = room_.WaitForFeed<Batch>(wait_timeout, stop, [&]() -> Result<Attempt<Batch>> {
      Sweep();
      Batch found;
      auto next = feed_.upper_bound(sequence);
      for (; next != feed_.end() && found.size() < max; ++next) {
        found.push_back({next->first, next->second->task.id});
      }
      if (found.empty()) return Attempt<Batch>{std::nullopt, NextDue()};
      return Attempt<Batch>{std::move(found)};
    });
    if (!batch) return batch.error();
    return std::move(*batch).value_or(Batch{});
  }

  Result<std::vector<Settled>> SettledBefore(std::uint64_t sequence, std::size_t max) override {
    const std::lock_guard lock(mutex_);
    Sweep();
    std::vector<Settled> found;
    auto next = std::make_reverse_iterator(feed_.lower_bound(sequence));
    for (; next != feed_.rend() && found.size() < max; ++next) {
      found.push_back({next->first, next->second->task.id});
    }
    return found;
  }

  Result<std::uint64_t> LastSettled() override {
    const std::lock_guard lock(mutex_);
    Sweep();
    return settled_;
  }

  Result<void> Forget(const TaskId& task) override {
    const std::lock_guard lock(mutex_);
    const Entry* entry = Find(task);
    if (entry == nullptr) return UnknownTask(task);
    if (entry->state != TaskState::kSettled) return NotSettled(task);
    Erase(*entry);
    return {};
  }

  Result<std::int64_t> ForgetSettledBefore(WallTime time, std::size_t max) override {
    const std::lock_guard lock(mutex_);
    Sweep();
    std::size_t count = 0;
    for (; count < max && !feed_.empty(); ++count) {
      const Entry& oldest = *feed_.begin()->second;
      if (oldest.settled >= time) break;
      Erase(oldest);
    }
    return static_cast<std::int64_t>(count);
  }

  void Wake() override {
    const std::lock_guard lock(mutex_);
    room_.Withdraw();
  }

 private:
  // Owner, names and memory: who waits in one line can be taken by the same workers.
  using Kind = std::tuple<std::string, std::set<std::string>, std::int64_t>;
  using Line = std::set<Entry*, GoesFirst>;
  struct Shown {
    WorkerCard card;
    Time until;
  };

  static std::int64_t Microseconds(Time time) {
    return std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch()).count();
  }
  static Kind KindOf(const Entry& entry) {
    return {entry.task.owner, entry.task.needs.names, entry.task.needs.memory_mib};
  }

  // All of what follows is called with the mutex held.

  Entry* FirstFor(const WorkerIdentity& identity) const {
    Entry* first = nullptr;
    for (const auto& [kind, line] : lines_) {
      const auto& [owner, names, memory] = kind;
      if (!identity.serves.contains(owner) || !identity.has.Cover({names, memory})) continue;
      if (first == nullptr || GoesFirst{}(*line.begin(), first)) first = *line.begin();
    }
    return first;
  }

  Claim Hold(Entry& entry, const std::string& worker, Duration lease_duration) {
    StandAside(entry);
    entry.state = TaskState::kHeld;
    ++held_;
    ++entry.generation;
    entry.worker = worker;
    entry.taken = clock_.Wall();
    entry.lease_end = clock_.Now() + std::min(lease_duration, kLongest);
    Reschedule(entry);
    return {{entry.task.id, entry.generation}, entry.task};
  }

  void Offer(Entry& entry) {
    if (entry.state == TaskState::kHeld) --held_;
    entry.state = TaskState::kWaiting;
    lines_[KindOf(entry)].insert(&entry);
    levels_[entry.task.priority].insert(&entry);
    Reschedule(entry);
    room_.CallOneFor(entry.task.owner, entry.task.needs);
  }

  // Out of the lines in which it waits; empty lines are not kept.
  void StandAside(Entry& entry) {
    const auto line = lines_.find(KindOf(entry));
    line->second.erase(&entry);
    if (line->second.empty()) lines_.erase(line);
    const auto level = levels_.find(entry.task.priority);
    level->second.erase(&entry);
    if (level->second.empty()) levels_.erase(level);
  }

  void End(Entry& entry, Settlement settlement) {
    if (entry.state == TaskState::kWaiting) StandAside(entry);
    if (entry.state == TaskState::kHeld) --held_;
    entry.state = TaskState::kSettled;
    entry.settlement = std::make_shared<const Settlement>(std::move(settlement));
    entry.settled = clock_.Wall();
    entry.settled_sequence = ++settled_;
    feed_.emplace(entry.settled_sequence, &entry);
    Reschedule(entry);
    room_.CallFor(entry.task.id);
    room_.CallFeed();
  }

  void Erase(const Entry& entry) {
    forgotten_generation_ = std::max(forgotten_generation_, entry.generation);
    feed_.erase(entry.settled_sequence);
    entries_.erase(TaskId(entry.task.id));  // A copy: the entry's own goes with it.
  }

  void CountFailure(Entry& entry, std::string_view reason) {
    if (++entry.attempts < entry.task.max_attempts) return Offer(entry);
    End(entry, {Settlement::Drop{Dropped::kAbandoned, AbandonedReason(entry.attempts, reason)}});
  }

  // Lists the entry under the next time at which it changes by itself.
  void Reschedule(Entry& entry) {
    due_.erase({entry.due, &entry});
    entry.due = entry.state == TaskState::kSettled ? Time::max() : entry.deadline;
    if (entry.state == TaskState::kHeld) entry.due = std::min(entry.due, entry.lease_end);
    if (entry.due == Time::max()) return;
    due_.insert({entry.due, &entry});
    room_.NoteDue(entry.due);
  }

  // Does what time alone has brought about: deadlines and leases that have passed.
  void Sweep() {
    const Time now = clock_.Now();
    while (!due_.empty() && due_.begin()->first <= now) {
      Entry& entry = *due_.begin()->second;
      if (entry.deadline <= now) {
        End(entry, {Settlement::Drop{Dropped::kExpired, std::string(kExpiredReason)}});
      } else {
        CountFailure(entry, LeaseRanOut(entry.worker));
      }
    }
  }

  Time NextDue() const { return due_.empty() ? Time::max() : due_.begin()->first; }

  Entry* Find(const TaskId& task) {
    Sweep();
    const auto place = entries_.find(task);
    return place == entries_.end() ? nullptr : &place->second;
  }

  Entry* HeldUnder(const Lease& lease) {
    Entry* entry = Find(lease.task);
    const bool is_held = entry != nullptr && entry->state == TaskState::kHeld &&
                         entry->generation == lease.generation;
    return is_held ? entry : nullptr;
  }

  std::int64_t CountAhead(const Entry& entry) const {
    std::int64_t ahead = 0;
    for (const auto& [kind, line] : lines_) {
      if (std::get<0>(kind) != entry.task.owner) continue;
      for (const Entry* other : line) {
        if (!GoesFirst{}(other, &entry)) break;
        if (++ahead == TaskView::kFarthest) return ahead;
      }
    }
    return ahead;
  }

  void DropOldCards() {
    const Time now = clock_.Now();
    std::erase_if(cards_, [now](const auto& named) { return named.second.until <= now; });
  }

  Clock& clock_;
  std::mutex mutex_;

  // State below is protected by mutex_.
  WaitingRoom room_;
  std::unordered_map<TaskId, Entry> entries_;  // Its entries do not move.
  std::map<Kind, Line> lines_;                 // Who waits, by kind; no line is empty.
  std::map<int, Line> levels_;                 // The same, by priority.
  std::map<std::uint64_t, Entry*> feed_;       // Who is settled, by its sequence.
  std::set<std::pair<Time, Entry*>> due_;
  std::map<std::string, Shown> cards_;
  std::int64_t held_ = 0;
  std::uint64_t pushed_ = 0;
  std::uint64_t settled_ = 0;
  std::uint64_t forgotten_generation_ = 0;  // Of what was forgotten, the highest.
};

}  // namespace

std::unique_ptr<TaskQueue> MakeMemoryQueue(Clock& clock) {
  return std::make_unique<MemoryQueue>(clock);
}

}  // namespace hone
