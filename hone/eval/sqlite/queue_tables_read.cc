// SPDX-License-Identifier: Apache-2.0
// The questions that change nothing.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "hone/base/json/records.h"
#include "hone/eval/queue/queue_records.h"
#include "hone/eval/queue/queue_rules.h"
#include "hone/eval/sqlite/queue_tables.h"

namespace hone {
namespace {

constexpr std::string_view kNextDue =
    "SELECT min(due) FROM ("
    "SELECT min(lease_end_us) AS due FROM queue_tasks WHERE state = 'leased' UNION ALL "
    "SELECT min(deadline_us) FROM queue_tasks "
    "WHERE deadline_us IS NOT NULL AND state IN ('waiting', 'leased'))";
constexpr std::string_view kStateOf = "SELECT state, reason FROM queue_tasks WHERE id = ?";
constexpr std::string_view kEvaluationOf = "SELECT body FROM evaluations WHERE task = ?";
constexpr std::string_view kViewOf =
    "SELECT body, state, pushed_us, taken_us, settled_us, attempts, worker, rank_us, sequence, "
    "owner "
    "FROM queue_tasks WHERE id = ?";
constexpr std::string_view kAheadInLine =
    "SELECT count(*) FROM (SELECT 1 FROM queue_tasks WHERE state = 'waiting' AND owner = ?1 "
    "AND class = ?2 AND (rank_us, sequence) < (?3, ?4) LIMIT ?5)";
constexpr std::string_view kLevels =
    "SELECT priority, count(*), min(rank_us) FROM queue_tasks WHERE state = 'waiting' "
    "GROUP BY priority ORDER BY priority DESC";
constexpr std::string_view kTotals =
    "SELECT settled, settled - forgotten, "
    "(SELECT count(*) FROM queue_tasks WHERE state = 'leased') FROM queue_totals";
constexpr std::string_view kCountWaiting =
    "SELECT count(*) FROM (SELECT 1 FROM queue_tasks WHERE state = 'waiting' LIMIT ?)";
constexpr std::string_view kSettledAfter =
    "SELECT settled_sequence, id FROM queue_tasks "
    "WHERE settled_sequence IS NOT NULL AND settled_sequence > ? "
    "ORDER BY settled_sequence LIMIT ?";
constexpr std::string_view kSettledBefore =
    "SELECT settled_sequence, id FROM queue_tasks "
    "WHERE settled_sequence IS NOT NULL AND settled_sequence < ? "
    "ORDER BY settled_sequence DESC LIMIT ?";
constexpr std::string_view kTablesReadLastSettled = "SELECT settled FROM queue_totals";
constexpr std::string_view kCards =
    "SELECT card FROM queue_workers WHERE shown_until_us > ? ORDER BY name";

std::int64_t Clamped(std::uint64_t number) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max()));
}

TaskState StateNamed(std::string_view name) {
  if (name == "waiting") return TaskState::kWaiting;
  return name == "leased" ? TaskState::kHeld : TaskState::kSettled;
}

std::optional<WallTime> TimeIn(const Row& row, int column) {
  if (row->IsNull(column)) return std::nullopt;
  return FromMicroseconds(row->Integer(column));
}

}  // namespace

Result<std::optional<std::int64_t>> QueueTables::NextDue() {
  const auto row = prepared_.First(kNextDue);
  if (!row) return row.error();
  if ((*row)->IsNull(0)) return std::optional<std::int64_t>{};
  return std::optional((*row)->Integer(0));
}

Result<std::optional<Settlement>> QueueTables::SettlementOf(const TaskId& task) {
  const auto row = prepared_.First(kStateOf, task);
  if (!row) return row.error();
  if (!row->is_there()) return UnknownTask(task);
  const std::string state = (*row)->Text(0);
  if (const auto why = DroppedNamed(state)) {
    return std::optional(Settlement{Settlement::Drop{*why, (*row)->Text(1)}});
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

Result<TaskView> QueueTables::ViewOf(const TaskId& task) {
  const auto row = prepared_.First(kViewOf, task);
  if (!row) return row.error();
  if (!row->is_there()) return UnknownTask(task);
  Result<Task> body = TaskIn((*row)->Text(0), (*row)->Text(9));
  if (!body) return body.error();
  TaskView view;
  view.task = std::move(*body);
  view.state = StateNamed((*row)->Text(1));
  view.pushed = FromMicroseconds((*row)->Integer(2));
  view.taken = TimeIn(*row, 3);
  view.settled = TimeIn(*row, 4);
  view.attempts = static_cast<int>((*row)->Integer(5));
  view.worker = (*row)->Text(6);
  if (view.state == TaskState::kSettled) {
    auto settlement = SettlementOf(task);
    if (!settlement) return settlement.error();
    if (*settlement) {
      view.settlement = std::make_shared<const Settlement>(std::move(**settlement));
    }
  }
  if (view.state != TaskState::kWaiting) return view;
  const auto ahead = CountAhead(view.task.owner, (*row)->Integer(7), (*row)->Integer(8));
  if (!ahead) return ahead.error();
  view.ahead = *ahead;
  return view;
}

Result<std::int64_t> QueueTables::CountAhead(const std::string& owner, std::int64_t rank,
                                             std::int64_t sequence) {
  if (auto learnt = LearnNeeds(); !learnt) return learnt.error();
  std::int64_t ahead = 0;
  for (const auto& [line, needs] : needs_) {
    const auto row =
        prepared_.First(kAheadInLine, owner, line, rank, sequence, TaskView::kFarthest - ahead);
    if (!row) return row.error();
    ahead += (*row)->Integer(0);
    if (ahead >= TaskView::kFarthest) break;
  }
  return ahead;
}

Result<QueueCounts> QueueTables::Counts() {
  QueueCounts counts;
  auto level = prepared_.First(kLevels);
  if (!level) return level.error();
  while (level->is_there()) {
    const auto priority = static_cast<int>((*level)->Integer(0));
    // The oldest of one level has the smallest rank, and the rank tells when it was pushed.
    const std::int64_t oldest = (*level)->Integer(2) - RankOf(0, priority);
    counts.waiting.push_back({priority, (*level)->Integer(1), FromMicroseconds(oldest)});
    if (auto next = level->Next(); !next) return next.error();
  }
  const auto totals = prepared_.First(kTotals);
  if (!totals) return totals.error();
  counts.settled = (*totals)->Integer(1);
  counts.held = (*totals)->Integer(2);
  return counts;
}

Result<std::int64_t> QueueTables::OthersVersion() {
  const auto row = prepared_.First("PRAGMA data_version");
  if (!row) return row.error();
  return (*row)->Integer(0);
}

Result<std::int64_t> QueueTables::CountWaiting(std::size_t max) {
  const auto row = prepared_.First(kCountWaiting, Clamped(max));
  if (!row) return row.error();
  return (*row)->Integer(0);
}

Result<std::vector<Settled>> QueueTables::SettledAfter(std::uint64_t sequence, std::size_t max) {
  return Feed(kSettledAfter, sequence, max);
}

Result<std::vector<Settled>> QueueTables::SettledBefore(std::uint64_t sequence, std::size_t max) {
  return Feed(kSettledBefore, sequence, max);
}

Result<std::vector<Settled>> QueueTables::Feed(std::string_view statement, std::uint64_t sequence,
                                               std::size_t max) {
  std::vector<Settled> settled;
  auto row = prepared_.First(statement, Clamped(sequence), Clamped(max));
  if (!row) return row.error();
  while (row->is_there()) {
    settled.push_back({static_cast<std::uint64_t>((*row)->Integer(0)), (*row)->Text(1)});
    if (auto next = row->Next(); !next) return next.error();
  }
  return settled;
}

Result<std::uint64_t> QueueTables::LastSettled() {
  const auto row = prepared_.First(kTablesReadLastSettled);
  if (!row) return row.error();
  return static_cast<std::uint64_t>((*row)->Integer(0));
}

Result<std::vector<WorkerCard>> QueueTables::Cards(std::int64_t now) {
  std::vector<WorkerCard> cards;
  auto row = prepared_.First(kCards, now);
  if (!row) return row.error();
  while (row->is_there()) {
    Result<WorkerCard> card = ParseWorkerCard((*row)->Text(0));
    if (!card) return card.error();
    cards.push_back(std::move(*card));
    if (auto next = row->Next(); !next) return next.error();
  }
  return cards;
}

}  // namespace hone
