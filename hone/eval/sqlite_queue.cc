// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/json.h"
#include "hone/base/records.h"
#include "hone/base/sqlite.h"
#include "hone/eval/bell.h"
#include "hone/eval/eval_schema.h"
#include "hone/eval/prepared.h"
#include "hone/eval/queue_rules.h"
#include "hone/eval/waiting_room.h"

namespace hone {
namespace {

constexpr std::string_view kAddNeeds = "INSERT OR IGNORE INTO queue_needs (needs) VALUES (?)";
constexpr std::string_view kAddTask =
    "INSERT INTO queue_tasks (id, body, class, priority, deadline_us, most_attempts) "
    "VALUES (?1, ?2, (SELECT class FROM queue_needs WHERE needs = ?3), ?4, ?5, ?6) "
    "ON CONFLICT (id) DO NOTHING";
constexpr std::string_view kBodyOf = "SELECT body FROM queue_tasks WHERE id = ?";
constexpr std::string_view kNewNeeds = "SELECT class, needs FROM queue_needs WHERE class > ?";
constexpr std::string_view kFirstOfLine =
    "SELECT priority, sequence, generation, body FROM queue_tasks "
    "WHERE state = 'waiting' AND class = ? ORDER BY priority DESC, sequence LIMIT 1";
constexpr std::string_view kLease =
    "UPDATE queue_tasks SET state = 'leased', generation = generation + 1, lease_end_us = ?3 "
    "WHERE sequence = ?1 AND generation = ?2 AND state = 'waiting'";

// A lease that ran out is lost even before somebody has noticed.
#define HONE_HELD                                                           \
  "id = ?1 AND generation = ?2 AND state = 'leased' AND lease_end_us > ?3 " \
  "AND (deadline_us IS NULL OR deadline_us > ?3)"
constexpr std::string_view kRenew = "UPDATE queue_tasks SET lease_end_us = ?4 WHERE " HONE_HELD;
constexpr std::string_view kRelease = "UPDATE queue_tasks SET state = 'waiting' WHERE " HONE_HELD;
constexpr std::string_view kSettle = "UPDATE queue_tasks SET state = 'evaluated' WHERE " HONE_HELD;
constexpr std::string_view kHeld =
    "SELECT sequence, attempts, most_attempts FROM queue_tasks WHERE " HONE_HELD;
#undef HONE_HELD

constexpr std::string_view kAddEvaluation =
    "INSERT INTO evaluations (task, outcome, settled_us, body) VALUES (?, ?, ?, ?)";
constexpr std::string_view kRanOut =
    "SELECT sequence, attempts, most_attempts FROM queue_tasks "
    "WHERE state = 'leased' AND lease_end_us <= ?";
constexpr std::string_view kCountAttempt =
    "UPDATE queue_tasks SET attempts = ?2, state = ?3, reason = ?4 WHERE sequence = ?1";
constexpr std::string_view kExpire =
    "UPDATE queue_tasks SET state = 'expired', reason = ?2 "
    "WHERE deadline_us <= ?1 AND deadline_us IS NOT NULL AND state IN ('waiting', 'leased')";
constexpr std::string_view kCancel =
    "UPDATE queue_tasks SET state = 'cancelled', reason = ?2 "
    "WHERE id = ?1 AND state IN ('waiting', 'leased')";
constexpr std::string_view kStateOf = "SELECT state, reason FROM queue_tasks WHERE id = ?";
constexpr std::string_view kEvaluationOf = "SELECT body FROM evaluations WHERE task = ?";
constexpr std::string_view kNextDue =
    "SELECT min(due) FROM ("
    "SELECT min(lease_end_us) AS due FROM queue_tasks WHERE state = 'leased' UNION ALL "
    "SELECT min(deadline_us) FROM queue_tasks "
    "WHERE deadline_us IS NOT NULL AND state IN ('waiting', 'leased'))";

struct Place {
  std::int64_t sequence = 0;
  std::int64_t attempts = 0;
  std::int64_t most_attempts = 0;
};

struct Waiting {
  std::int64_t priority = 0;
  std::int64_t sequence = 0;
  std::int64_t generation = 0;
  std::string body;

  bool GoesBefore(const Waiting& other) const {
    return std::pair(-priority, sequence) < std::pair(-other.priority, other.sequence);
  }
};

Result<std::string> Document(const Json& json, const TaskId& task) {
  std::string text = Dump(json);
  if (text.size() <= JsonLimits{}.bytes) return text;
  return Error{Errc::kInvalidArgument,
               fmt::format("task {}: {} bytes are too many to store; {} fit", task, text.size(),
                           JsonLimits{}.bytes)};
}

class SqliteQueue final : public TaskQueue {
 public:
  SqliteQueue(Database database, Clock& clock)
      : clock_(clock),
        takers_(clock, mutex_),
        awaiters_(clock, mutex_),
        database_(std::move(database)),
        prepared_(database_) {}

  Result<void> HangBellAt(const std::filesystem::path& path) {
    Result<std::unique_ptr<Bell>> bell = HangBell(path, [this] {
      const std::lock_guard lock(mutex_);
      Rouse();
    });
    if (!bell) return bell.error();
    bell_ = std::move(*bell);
    return {};
  }

  Result<void> Push(const Task& task) override {
    if (auto fit = CheckTask(task); !fit) return fit;
    const Result<std::string> body = Document(ToJson(task), task.id);
    if (!body) return body.error();
    const std::string needs = Dump(ToJson(task.needs));
    const std::lock_guard lock(mutex_);
    bool is_new = false;
    auto stored = database_.Transact([&]() -> Result<void> {
      if (auto known = prepared_.Run(kAddNeeds, needs); !known) return known.error();
      std::optional<std::int64_t> deadline;
      if (task.deadline) deadline = ToMicroseconds(*task.deadline);
      const auto added = prepared_.Run(kAddTask, task.id, *body, needs, task.priority, deadline,
                                       task.most_attempts);
      if (!added) return added.error();
      is_new = *added == 1;
      return is_new ? Result<void>{} : CheckSame(task, *body);
    });
    if (stored && is_new) Announce();
    return stored;
  }

  Result<std::optional<Claim>> Take(const Capabilities& has, Duration term, Duration patience,
                                    std::stop_token stop) override {
    return takers_.Wait<Claim>(patience, stop, [&]() -> Result<Attempt<Claim>> {
      while (true) {
        Result<Clock::Monotonic> due = Sweep();
        if (!due) return due.error();
        const Result<std::optional<Waiting>> first = FirstFor(has);
        if (!first) return first.error();
        if (!*first) return Attempt<Claim>{std::nullopt, *due};
        const auto leased = Lightly([&] {
          return prepared_.Run(kLease, (*first)->sequence, (*first)->generation,
                               Now() + Micros(term));
        });
        if (!leased) return leased.error();
        if (*leased == 0) continue;  // Another process was faster.
        Announce();
        Result<Task> task = ParseTask((*first)->body);
        if (!task) return task.error();
        const auto generation = static_cast<std::uint64_t>((*first)->generation + 1);
        return Attempt<Claim>{Claim{{task->id, generation}, *task}};
      }
    });
  }

  Result<void> Renew(const Lease& lease, Duration term) override {
    const std::lock_guard lock(mutex_);
    return UpdateHeld(lease, kRenew, Now() + Micros(term));
  }

  Result<void> Settle(const Lease& lease, const Evaluation& evaluation) override {
    if (auto fit = CheckSettles(lease, evaluation); !fit) return fit;
    const Result<std::string> body = Document(ToJson(evaluation), lease.task);
    if (!body) return body.error();
    const std::lock_guard lock(mutex_);
    return Announced(database_.Transact([&]() -> Result<void> {
      const auto held = prepared_.Run(kSettle, lease.task, Signed(lease.generation), Now());
      if (!held) return held.error();
      if (*held == 0) return LostLease(lease);
      const auto added =
          prepared_.Run(kAddEvaluation, lease.task, NameOf(evaluation.outcome), Now(), *body);
      if (!added) return added.error();
      return {};
    }));
  }

  Result<void> Return(const Lease& lease, const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    return Announced(database_.Transact([&]() -> Result<void> {
      const auto held = PlacesIn(kHeld, lease.task, Signed(lease.generation), Now());
      if (!held) return held.error();
      if (held->empty()) return LostLease(lease);
      return CountFailure(held->front(), reason);
    }));
  }

  Result<void> Release(const Lease& lease) override {
    const std::lock_guard lock(mutex_);
    return UpdateHeld(lease, kRelease);
  }

  Result<void> Cancel(const TaskId& task) override {
    const std::lock_guard lock(mutex_);
    if (auto swept = Sweep(); !swept) return swept.error();
    const auto cancelled = prepared_.Run(kCancel, task, kCancelledReason);
    if (!cancelled) return cancelled.error();
    if (*cancelled == 1) {
      Announce();
      return {};
    }
    const auto row = prepared_.First(kStateOf, task);
    if (!row) return row.error();
    if (!row->is_there()) return UnknownTask(task);
    return {};
  }

  Result<std::optional<Settlement>> Await(const TaskId& task, Duration patience,
                                          std::stop_token stop) override {
    return awaiters_.Wait<Settlement>(patience, stop, [&]() -> Result<Attempt<Settlement>> {
      const Result<Clock::Monotonic> due = Sweep();
      if (!due) return due.error();
      Result<std::optional<Settlement>> settlement = SettlementOf(task);
      if (!settlement) return settlement.error();
      return Attempt<Settlement>{std::move(*settlement), *due};
    });
  }

  void Wake() override {
    const std::lock_guard lock(mutex_);
    takers_.Dismiss();
    awaiters_.Dismiss();
  }

 private:
  static std::int64_t Signed(std::uint64_t generation) {
    return static_cast<std::int64_t>(generation);
  }
  static std::int64_t Micros(Duration term) {
    return std::chrono::microseconds(std::min(term, kLongest)).count();
  }
  std::int64_t Now() const { return ToMicroseconds(clock_.Wall()); }

  // All of what follows is called with the mutex held.

  void Rouse() {
    takers_.Rouse();
    awaiters_.Rouse();
  }

  // After a commit: tells everyone here and in other processes.
  void Announce() {
    Rouse();
    bell_->Ring();
  }

  Result<void> Announced(Result<void> committed) {
    if (committed) Announce();
    return committed;
  }

  // Commits without waiting for the disk. It is for leases only: a power cut that takes one back
  // has ended its holder too, and the task is simply offered again.
  template <typename Operation>
  Result<std::int64_t> Lightly(Operation operation) {
    if (auto set = database_.Execute("PRAGMA synchronous=NORMAL"); !set) return set.error();
    Result<std::int64_t> changed = operation();
    if (auto set = database_.Execute("PRAGMA synchronous=FULL"); !set) return set.error();
    return changed;
  }

  template <typename... Values>
  Result<void> UpdateHeld(const Lease& lease, std::string_view sql, const Values&... values) {
    const auto updated = Lightly(
        [&] { return prepared_.Run(sql, lease.task, Signed(lease.generation), Now(), values...); });
    if (!updated) return updated.error();
    if (*updated == 0) return LostLease(lease);
    Announce();
    return {};
  }

  Result<void> CheckSame(const Task& task, const std::string& body) {
    const auto row = prepared_.First(kBodyOf, task.id);
    if (!row) return row.error();
    const std::string stored = (*row)->Text(0);
    if (stored == body) return {};
    const Result<Task> known = ParseTask(stored);  // Perhaps only the spelling differs.
    if (!known) return known.error();
    if (*known != task) return OtherBody(task.id);
    return {};
  }

  // Does what time alone has brought about, and says when it will bring about something next.
  Result<Clock::Monotonic> Sweep() {
    const std::int64_t now = Now();
    Result<std::optional<std::int64_t>> due = NextDue();
    if (due && *due && **due <= now) {
      const auto swept = Announced(database_.Transact([&] { return SweepAt(now); }));
      if (!swept) return swept.error();
      due = NextDue();
    }
    if (!due) return due.error();
    if (!*due) return Clock::Monotonic::max();
    return clock_.Now() + std::chrono::microseconds(**due - now);
  }

  Result<void> SweepAt(std::int64_t now) {
    if (auto expired = prepared_.Run(kExpire, now, kExpiredReason); !expired) {
      return expired.error();
    }
    const auto places = PlacesIn(kRanOut, now);
    if (!places) return places.error();
    for (const Place& place : *places) {
      if (auto counted = CountFailure(place, kLeaseRanOut); !counted) return counted;
    }
    return {};
  }

  Result<void> CountFailure(const Place& place, std::string_view reason) {
    const std::int64_t attempts = place.attempts + 1;
    const bool is_over = attempts >= place.most_attempts;
    const auto counted =
        prepared_.Run(kCountAttempt, place.sequence, attempts, is_over ? "abandoned" : "waiting",
                      is_over ? AbandonedReason(attempts, reason) : std::string(reason));
    if (!counted) return counted.error();
    return {};
  }

  template <typename... Values>
  Result<std::vector<Place>> PlacesIn(std::string_view sql, const Values&... values) {
    auto row = prepared_.First(sql, values...);
    if (!row) return row.error();
    std::vector<Place> places;
    while (row->is_there()) {
      places.push_back({(*row)->Integer(0), (*row)->Integer(1), (*row)->Integer(2)});
      if (auto next = row->Next(); !next) return next.error();
    }
    return places;
  }

  Result<std::optional<std::int64_t>> NextDue() {
    const auto row = prepared_.First(kNextDue);
    if (!row) return row.error();
    if ((*row)->IsNull(0)) return std::optional<std::int64_t>{};
    return std::optional((*row)->Integer(0));
  }

  Result<std::optional<Waiting>> FirstFor(const Capabilities& has) {
    if (auto learnt = LearnNeeds(); !learnt) return learnt.error();
    std::optional<Waiting> first;
    for (const auto& [line, needs] : needs_) {
      if (!has.Cover(needs)) continue;
      const auto row = prepared_.First(kFirstOfLine, line);
      if (!row) return row.error();
      if (!row->is_there()) continue;
      Waiting waiting{(*row)->Integer(0), (*row)->Integer(1), (*row)->Integer(2), (*row)->Text(3)};
      if (!first || waiting.GoesBefore(*first)) first = std::move(waiting);
    }
    return first;
  }

  // Rows of queue_needs never change, so each is read once.
  Result<void> LearnNeeds() {
    const std::int64_t known = needs_.empty() ? 0 : needs_.rbegin()->first;
    auto row = prepared_.First(kNewNeeds, known);
    if (!row) return row.error();
    while (row->is_there()) {
      const Result<Json> json = ParseJson((*row)->Text(1), "queue_needs");
      if (!json) return json.error();
      JsonReader reader(*json, "queue_needs");
      Capabilities needs = ReadCapabilities(reader);
      if (auto read = reader.Finish(); !read) return read.error();
      needs_.emplace((*row)->Integer(0), std::move(needs));
      if (auto next = row->Next(); !next) return next.error();
    }
    return {};
  }

  Result<std::optional<Settlement>> SettlementOf(const TaskId& task) {
    static const std::map<std::string, Dropped> kDropped = {{"cancelled", Dropped::kCancelled},
                                                            {"expired", Dropped::kExpired},
                                                            {"abandoned", Dropped::kAbandoned}};
    const auto row = prepared_.First(kStateOf, task);
    if (!row) return row.error();
    if (!row->is_there()) return UnknownTask(task);
    const std::string state = (*row)->Text(0);
    if (const auto drop = kDropped.find(state); drop != kDropped.end()) {
      return std::optional(Settlement{Settlement::Drop{drop->second, (*row)->Text(1)}});
    }
    if (state != "evaluated") return std::optional<Settlement>{};
    const auto kept = prepared_.First(kEvaluationOf, task);
    if (!kept) return kept.error();
    if (!kept->is_there()) {
      return Error{Errc::kCorrupt,
                   fmt::format("task {}: settled, but its evaluation is missing in {}", task,
                               database_.path())};
    }
    Result<Evaluation> evaluation = ParseEvaluation((*kept)->Text(0));
    if (!evaluation) return evaluation.error();
    return std::optional(Settlement{std::move(*evaluation)});
  }

  Clock& clock_;
  std::mutex mutex_;

  // State below is protected by mutex_.
  WaitingRoom takers_;
  WaitingRoom awaiters_;
  Database database_;
  PreparedStatements prepared_;
  std::map<std::int64_t, Capabilities> needs_;  // By class.

  std::unique_ptr<Bell> bell_;  // Last: its thread uses the rest.
};

}  // namespace

Result<std::unique_ptr<TaskQueue>> MakeSqliteQueue(const std::filesystem::path& path,
                                                   Clock& clock) {
  Result<Database> database = Database::Open(path);
  if (!database) return database.error();
  if (auto migrated = MigrateEvalSchema(*database); !migrated) return migrated.error();
  auto queue = std::make_unique<SqliteQueue>(std::move(*database), clock);
  if (auto hung = queue->HangBellAt(path.string() + ".bell"); !hung) return hung.error();
  return queue;
}

}  // namespace hone
