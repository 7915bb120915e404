// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite/queue_tables.h"

#include <algorithm>
#include <utility>

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/eval/queue/queue_records.h"
#include "hone/eval/queue/queue_rules.h"

namespace hone {
namespace {

constexpr std::string_view kAddNeeds = "INSERT OR IGNORE INTO queue_needs (needs) VALUES (?)";
constexpr std::string_view kAddTask =
    "INSERT INTO queue_tasks (id, body, class, priority, deadline_us, most_attempts, pushed_us, "
    "rank_us, owner, generation) "
    "VALUES (?1, ?2, (SELECT class FROM queue_needs WHERE needs = ?3), ?4, ?5, ?6, ?7, ?8, ?9, "
    "(SELECT forgotten_generation FROM queue_totals)) ON CONFLICT (id) DO NOTHING";
constexpr std::string_view kOwned = "SELECT id, settled_sequence FROM queue_tasks WHERE owner = ?";
constexpr std::string_view kBodyOf = "SELECT body, owner FROM queue_tasks WHERE id = ?";
constexpr std::string_view kNewNeeds = "SELECT class, needs FROM queue_needs WHERE class > ?";
constexpr std::string_view kFirstOfLine =
    "SELECT rank_us, sequence, generation, body FROM queue_tasks "
    "WHERE state = 'waiting' AND owner = ? AND class = ? ORDER BY rank_us, sequence LIMIT 1";
constexpr std::string_view kHold =
    "UPDATE queue_tasks SET state = 'leased', generation = generation + 1, worker = ?3, "
    "taken_us = ?4, lease_end_us = ?5 "
    "WHERE sequence = ?1 AND generation = ?2 AND state = 'waiting'";

// A lease that ran out is lost even before somebody has noticed.
#define HONE_HELD                                                           \
  "id = ?1 AND generation = ?2 AND state = 'leased' AND lease_end_us > ?3 " \
  "AND (deadline_us IS NULL OR deadline_us > ?3)"
// The next in the feed: kCountSettled makes it true.
#define HONE_SETTLED "settled_sequence = (SELECT settled + 1 FROM queue_totals)"
constexpr std::string_view kTablesRenew =
    "UPDATE queue_tasks SET lease_end_us = ?4 WHERE " HONE_HELD;
constexpr std::string_view kTablesRelease =
    "UPDATE queue_tasks SET state = 'waiting' WHERE " HONE_HELD;
constexpr std::string_view kTablesSettle =
    "UPDATE queue_tasks SET state = 'evaluated', settled_us = ?3, " HONE_SETTLED
    " WHERE " HONE_HELD;
constexpr std::string_view kHeldPlace =
    "SELECT sequence, id, attempts, most_attempts, worker FROM queue_tasks WHERE " HONE_HELD;
constexpr std::string_view kTablesDrop =
    "UPDATE queue_tasks SET state = ?2, reason = ?3, settled_us = ?4, attempts = ?5, " HONE_SETTLED
    " WHERE sequence = ?1";
#undef HONE_SETTLED
#undef HONE_HELD

constexpr std::string_view kCountSettled = "UPDATE queue_totals SET settled = settled + 1";
constexpr std::string_view kAddEvaluation =
    "INSERT INTO evaluations (task, outcome, settled_us, body) VALUES (?, ?, ?, ?)";
constexpr std::string_view kExpired =
    "SELECT sequence, id, attempts, most_attempts, worker FROM queue_tasks "
    "WHERE deadline_us <= ?1 AND deadline_us IS NOT NULL AND state IN ('waiting', 'leased') "
    "LIMIT ?2";
constexpr std::string_view kRanOut =
    "SELECT sequence, id, attempts, most_attempts, worker FROM queue_tasks "
    "WHERE state = 'leased' AND lease_end_us <= ?1 LIMIT ?2";
constexpr std::string_view kOfferAgain =
    "UPDATE queue_tasks SET attempts = ?2, state = 'waiting', reason = ?3 WHERE sequence = ?1";
constexpr std::string_view kOpenPlace =
    "SELECT sequence, id, attempts, most_attempts, worker FROM queue_tasks "
    "WHERE id = ?1 AND state IN ('waiting', 'leased')";
constexpr std::string_view kSettledPlace =
    "SELECT sequence, generation, settled_sequence FROM queue_tasks WHERE id = ?";
constexpr std::string_view kOldest =
    "SELECT sequence, generation, id, settled_us FROM queue_tasks "
    "WHERE settled_sequence IS NOT NULL ORDER BY settled_sequence LIMIT ?";
constexpr std::string_view kDeleteTask = "DELETE FROM queue_tasks WHERE sequence = ?";
constexpr std::string_view kDeleteEvaluation = "DELETE FROM evaluations WHERE task = ?";
// Sequences may be given out again; with this generation no forgotten task is taken for a new one.
constexpr std::string_view kCountForgotten =
    "UPDATE queue_totals SET forgotten = forgotten + 1, "
    "forgotten_generation = max(forgotten_generation, ? + 1)";
constexpr std::string_view kShow =
    "INSERT OR REPLACE INTO queue_workers (name, shown_until_us, card) VALUES (?, ?, ?)";
constexpr std::string_view kDropOldCards = "DELETE FROM queue_workers WHERE shown_until_us <= ?";
constexpr std::string_view kHide = "DELETE FROM queue_workers WHERE name = ?";

std::int64_t Signed(std::uint64_t generation) { return static_cast<std::int64_t>(generation); }

Result<void> Done(const Result<std::int64_t>& ran) {
  if (!ran) return ran.error();
  return {};
}

}  // namespace

QueueTables::QueueTables(Database database)
    : database_(std::move(database)), prepared_(database_) {}

Result<void> QueueTables::Add(const Task& task, const std::string& body, std::int64_t now,
                              QueueChanges& changes) {
  const std::string needs = Dump(ToJson(task.needs));
  if (auto known = prepared_.Run(kAddNeeds, needs); !known) return known.error();
  std::optional<std::int64_t> deadline;
  if (task.deadline) deadline = ToMicroseconds(*task.deadline);
  const auto added = prepared_.Run(kAddTask, task.id, body, needs, task.priority, deadline,
                                   task.max_attempts, now, RankOf(now, task.priority), task.owner);
  if (!added) return added.error();
  if (*added == 0) return CheckSame(task, body);
  ++changes.offered;
  if (deadline) changes.due = std::min(changes.due.value_or(*deadline), *deadline);
  return {};
}

Result<void> QueueTables::CheckSame(const Task& task, const std::string& body) {
  const auto row = prepared_.First(kBodyOf, task.id);
  if (!row) return row.error();
  const std::string stored = (*row)->Text(0);
  const std::string owner = (*row)->Text(1);
  if (stored == body && owner == task.owner) return {};
  const Result<Task> known = TaskIn(stored, owner);  // Perhaps only the spelling differs.
  if (!known) return known.error();
  if (*known != task) return OtherBody(task.id);
  return {};
}

Result<Task> QueueTables::TaskIn(const std::string& body, const std::string& owner) {
  Result<Task> task = ParseTask(body);
  if (task) task->owner = owner;
  return task;
}

Result<std::optional<QueueTables::Waiting>> QueueTables::FirstFor(const WorkerIdentity& identity) {
  if (auto learnt = LearnNeeds(); !learnt) return learnt.error();
  std::optional<Waiting> first;
  for (const auto& [line, needs] : needs_) {
    if (!identity.has.Cover(needs)) continue;
    for (const std::string& owner : identity.serves) {
      const auto row = prepared_.First(kFirstOfLine, owner, line);
      if (!row) return row.error();
      if (!row->is_there()) continue;
      const std::pair place((*row)->Integer(0), (*row)->Integer(1));
      if (first && place > std::pair(first->rank, first->sequence)) continue;
      first = Waiting{place.first, place.second, (*row)->Integer(2), (*row)->Text(3), owner};
    }
  }
  return first;
}

// Rows of queue_needs never change, so each is read once.
Result<void> QueueTables::LearnNeeds() {
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

Result<bool> QueueTables::Hold(const Waiting& waiting, const std::string& worker, std::int64_t now,
                               std::int64_t until) {
  const auto held = prepared_.Run(kHold, waiting.sequence, waiting.generation, worker, now, until);
  if (!held) return held.error();
  return *held == 1;
}

template <typename... Values>
Result<void> QueueTables::RunHeld(const Lease& lease, std::string_view sql,
                                  const Values&... values) {
  const auto updated = prepared_.Run(sql, lease.task, Signed(lease.generation), values...);
  if (!updated) return updated.error();
  if (*updated == 0) return LostLease(lease);
  return {};
}

Result<void> QueueTables::Renew(const Lease& lease, std::int64_t now, std::int64_t until) {
  return RunHeld(lease, kTablesRenew, now, until);
}

Result<void> QueueTables::Release(const Lease& lease, std::int64_t now) {
  return RunHeld(lease, kTablesRelease, now);
}

Result<void> QueueTables::Settle(const Lease& lease, const Evaluation& evaluation,
                                 const std::string& body, std::int64_t now, QueueChanges& changes) {
  if (auto held = RunHeld(lease, kTablesSettle, now); !held) return held;
  if (auto counted = prepared_.Run(kCountSettled); !counted) return counted.error();
  const auto added =
      prepared_.Run(kAddEvaluation, lease.task, NameOf(evaluation.outcome), now, body);
  if (!added) return added.error();
  changes.settled.push_back(lease.task);
  return {};
}

Result<void> QueueTables::Return(const Lease& lease, const std::string& reason, std::int64_t now,
                                 QueueChanges& changes) {
  const auto held = PlacesIn(kHeldPlace, lease.task, Signed(lease.generation), now);
  if (!held) return held.error();
  if (held->empty()) return LostLease(lease);
  return CountFailure(held->front(), reason, now, changes);
}

Result<void> QueueTables::Cancel(const TaskId& task, std::int64_t now, QueueChanges& changes) {
  const auto open = PlacesIn(kOpenPlace, task);
  if (!open) return open.error();
  if (!open->empty()) {
    return Drop(open->front(), Dropped::kCancelled, std::string(kCancelledReason), now, changes);
  }
  const auto row = prepared_.First(kBodyOf, task);
  if (!row) return row.error();
  if (!row->is_there()) return UnknownTask(task);
  return {};
}

Result<void> QueueTables::Sweep(std::int64_t now, std::int64_t max, QueueChanges& changes) {
  const auto expired = PlacesIn(kExpired, now, max);
  if (!expired) return expired.error();
  for (const Place& place : *expired) {
    auto dropped = Drop(place, Dropped::kExpired, std::string(kExpiredReason), now, changes);
    if (!dropped) return dropped;
  }
  const auto ran_out = PlacesIn(kRanOut, now, max);
  if (!ran_out) return ran_out.error();
  for (const Place& place : *ran_out) {
    if (auto counted = CountFailure(place, LeaseRanOut(place.worker), now, changes); !counted)
      return counted;
  }
  return {};
}

Result<void> QueueTables::CountFailure(const Place& place, std::string_view reason,
                                       std::int64_t now, QueueChanges& changes) {
  Place counted = place;
  ++counted.attempts;
  if (counted.attempts >= counted.max_attempts) {
    const std::string whole = AbandonedReason(counted.attempts, reason);
    return Drop(counted, Dropped::kAbandoned, whole, now, changes);
  }
  ++changes.offered;
  return Done(prepared_.Run(kOfferAgain, counted.sequence, counted.attempts, reason));
}

Result<void> QueueTables::Drop(const Place& place, Dropped why, const std::string& reason,
                               std::int64_t now, QueueChanges& changes) {
  const auto dropped =
      prepared_.Run(kTablesDrop, place.sequence, NameOf(why), reason, now, place.attempts);
  if (!dropped) return dropped.error();
  changes.settled.push_back(place.task);
  return Done(prepared_.Run(kCountSettled));
}

template <typename... Values>
Result<std::vector<QueueTables::Place>> QueueTables::PlacesIn(std::string_view sql,
                                                              const Values&... values) {
  auto row = prepared_.First(sql, values...);
  if (!row) return row.error();
  std::vector<Place> places;
  while (row->is_there()) {
    places.push_back({(*row)->Integer(0), (*row)->Text(1), (*row)->Integer(2), (*row)->Integer(3),
                      (*row)->Text(4)});
    if (auto next = row->Next(); !next) return next.error();
  }
  return places;
}

Result<void> QueueTables::Forget(const TaskId& task) {
  std::int64_t sequence = 0;
  std::int64_t generation = 0;
  {
    const auto row = prepared_.First(kSettledPlace, task);
    if (!row) return row.error();
    if (!row->is_there()) return UnknownTask(task);
    if ((*row)->IsNull(2)) return NotSettled(task);
    sequence = (*row)->Integer(0);
    generation = (*row)->Integer(1);
  }
  return Erase(sequence, task, generation);
}

Result<std::int64_t> QueueTables::ForgetBefore(std::int64_t time, std::size_t max) {
  struct Old {
    std::int64_t sequence, generation;
    TaskId task;
  };
  std::vector<Old> old;
  {
    auto row = prepared_.First(kOldest, max);
    if (!row) return row.error();
    while (row->is_there() && (*row)->Integer(3) < time) {
      old.push_back({(*row)->Integer(0), (*row)->Integer(1), (*row)->Text(2)});
      if (auto next = row->Next(); !next) return next.error();
    }
  }
  for (const Old& one : old) {
    if (auto erased = Erase(one.sequence, one.task, one.generation); !erased) {
      return erased.error();
    }
  }
  return static_cast<std::int64_t>(old.size());
}

Result<std::int64_t> QueueTables::ForgetOwned(const std::string& owner, std::int64_t now,
                                              QueueChanges& changes) {
  std::vector<std::pair<TaskId, bool>> owned;  // And whether it is settled.
  {
    auto row = prepared_.First(kOwned, owner);
    if (!row) return row.error();
    while (row->is_there()) {
      owned.emplace_back((*row)->Text(0), !(*row)->IsNull(1));
      if (auto next = row->Next(); !next) return next.error();
    }
  }
  for (const auto& [task, is_settled] : owned) {
    if (!is_settled) {
      if (auto cancelled = Cancel(task, now, changes); !cancelled) return cancelled.error();
    }
    if (auto forgotten = Forget(task); !forgotten) return forgotten.error();
  }
  return std::ssize(owned);
}

Result<void> QueueTables::Erase(std::int64_t sequence, const TaskId& task,
                                std::int64_t generation) {
  if (auto gone = prepared_.Run(kDeleteEvaluation, task); !gone) return gone.error();
  if (auto gone = prepared_.Run(kDeleteTask, sequence); !gone) return gone.error();
  return Done(prepared_.Run(kCountForgotten, generation));
}

Result<void> QueueTables::Show(const WorkerCard& card, std::int64_t now, std::int64_t until) {
  if (auto dropped = prepared_.Run(kDropOldCards, now); !dropped) return dropped.error();
  return Done(prepared_.Run(kShow, card.name, until, Dump(ToJson(card))));
}

Result<void> QueueTables::Hide(const std::string& worker) {
  return Done(prepared_.Run(kHide, worker));
}

}  // namespace hone
