// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/sqlite/sqlite.h"
#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/eval/queue/queue_words.h"
#include "hone/eval/sqlite/prepared.h"

namespace hone {

// What a change of the tables means to those who wait.
struct QueueChanges {
  std::vector<TaskId> settled;
  std::int64_t offered = 0;         // So many tasks wait that did not before.
  std::optional<std::int64_t> due;  // Something will now change by itself at this time.
};

// The SQLite queue's tables: each function is one step on them, with no lock and no waiting. Times
// are microseconds of wall-clock time. What a step does to the queue is added to `changes`.
//
// Add, Settle, Return, Cancel, Sweep, Forget, ForgetBefore and ForgetOwned make several changes
// that belong together: call them inside a transaction. If one returns an Error, nothing of it may
// be kept.
class QueueTables {
 public:
  explicit QueueTables(Database database);

  Database& database() { return database_; }

  struct Waiting {
    std::int64_t rank = 0;
    std::int64_t sequence = 0;
    std::int64_t generation = 0;
    std::string body;
    std::string owner;
  };

  // The task of a row: its column has the owner.
  static Result<Task> TaskIn(const std::string& body, const std::string& owner);

  Result<void> Add(const Task& task, const std::string& body, std::int64_t now,
                   QueueChanges& changes);
  Result<std::optional<Waiting>> FirstFor(const WorkerIdentity& identity);
  // False: it no longer waits as it did.
  Result<bool> Hold(const Waiting& waiting, const std::string& worker, std::int64_t now,
                    std::int64_t until);
  Result<void> Renew(const Lease& lease, std::int64_t now, std::int64_t until);
  Result<void> Release(const Lease& lease, std::int64_t now);
  Result<void> Settle(const Lease& lease, const Evaluation& evaluation, const std::string& body,
                      std::int64_t now, QueueChanges& changes);
  Result<void> Return(const Lease& lease, const std::string& reason, std::int64_t now,
                      QueueChanges& changes);
  Result<void> Cancel(const TaskId& task, std::int64_t now, QueueChanges& changes);

  // Does what time alone has brought about, to at most `max` tasks.
  Result<void> Sweep(std::int64_t now, std::int64_t max, QueueChanges& changes);
  Result<std::optional<std::int64_t>> NextDue();

  Result<std::optional<Settlement>> SettlementOf(const TaskId& task);
  Result<TaskView> ViewOf(const TaskId& task);
  Result<QueueCounts> Counts();
  // Another number whenever another connection has changed something.
  Result<std::int64_t> OthersVersion();
  Result<std::int64_t> CountWaiting(std::size_t max);  // Not counted beyond.

  Result<std::vector<Settled>> SettledAfter(std::uint64_t sequence, std::size_t max);
  Result<std::vector<Settled>> SettledBefore(std::uint64_t sequence, std::size_t max);
  Result<std::uint64_t> LastSettled();
  Result<void> Forget(const TaskId& task);
  Result<std::int64_t> ForgetBefore(std::int64_t time, std::size_t max);
  // All of one owner; those that are not settled are cancelled first. Returns how many.
  Result<std::int64_t> ForgetOwned(const std::string& owner, std::int64_t now,
                                   QueueChanges& changes);

  Result<void> Show(const WorkerCard& card, std::int64_t now, std::int64_t until);
  Result<void> Hide(const std::string& worker);
  Result<std::vector<WorkerCard>> Cards(std::int64_t now);

 private:
  struct Place {
    std::int64_t sequence = 0;
    TaskId task;
    std::int64_t attempts = 0;
    std::int64_t max_attempts = 0;
    std::string worker;
  };

  template <typename... Values>
  Result<std::vector<Place>> PlacesIn(std::string_view sql, const Values&... values);
  template <typename... Values>
  Result<void> RunHeld(const Lease& lease, std::string_view sql, const Values&... values);
  Result<void> Drop(const Place& place, Dropped why, const std::string& reason, std::int64_t now,
                    QueueChanges& changes);
  Result<void> CountFailure(const Place& place, std::string_view reason, std::int64_t now,
                            QueueChanges& changes);
  Result<std::vector<Settled>> Feed(std::string_view statement, std::uint64_t sequence,
                                    std::size_t max);
  Result<void> CheckSame(const Task& task, const std::string& body);
  Result<void> LearnNeeds();
  Result<std::int64_t> CountAhead(const std::string& owner, std::int64_t rank,
                                  std::int64_t sequence);
  Result<void> Erase(std::int64_t sequence, const TaskId& task, std::int64_t generation);

  Database database_;
  PreparedStatements prepared_;
  std::map<std::int64_t, Capabilities> needs_;  // By class.
};

}  // namespace hone
