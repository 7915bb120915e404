// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite/evaluation_store.h"

#include <fmt/format.h>

#include <utility>

#include "hone/base/json/records.h"

namespace hone {
namespace {

// Ids are UTF-8 and compared by bytes; no text that begins with the prefix comes after this.
std::string LastWith(std::string_view prefix) { return std::string(prefix) + "\U0010FFFF"; }

}  // namespace

Result<EvaluationStore> EvaluationStore::Open(const std::filesystem::path& path) {
  Result<Database> database = Database::Open(path, Database::Mode::kReadOnly);
  if (!database) return database.error();
  {
    auto table = database->Prepare("SELECT 1 FROM sqlite_master WHERE name = 'evaluations'");
    if (!table) return table.error();
    const Result<bool> is_there = table->Step();
    if (!is_there) return is_there.error();
    if (!*is_there) {
      return Error{Errc::kNotFound, fmt::format("{}: it holds no evaluations", path.string())};
    }
  }
  return EvaluationStore(std::move(*database));
}

Result<std::optional<Evaluation>> EvaluationStore::Find(const TaskId& task) {
  auto query = database_.Prepare("SELECT body FROM evaluations WHERE task = ?");
  if (!query) return query.error();
  const Result<bool> is_there = query->Bind(1, task).Step();
  if (!is_there) return is_there.error();
  if (!*is_there) return std::optional<Evaluation>{};
  Result<Evaluation> evaluation = ParseEvaluation(query->Text(0));
  if (!evaluation) return evaluation.error();
  return std::optional(std::move(*evaluation));
}

Result<std::optional<Task>> EvaluationStore::FindTask(const TaskId& task) {
  auto query = database_.Prepare("SELECT body FROM queue_tasks WHERE id = ?");
  if (!query) return query.error();
  const Result<bool> is_there = query->Bind(1, task).Step();
  if (!is_there) return is_there.error();
  if (!*is_there) return std::optional<Task>{};
  Result<Task> found = ParseTask(query->Text(0));
  if (!found) return found.error();
  return std::optional(std::move(*found));
}

Result<std::int64_t> EvaluationStore::ForEachAfter(
    std::string_view prefix, std::int64_t sequence,
    const std::function<Result<void>(const Evaluation&, const Task&)>& visit, std::int64_t max) {
  auto query = database_.Prepare(
      "SELECT e.sequence, e.task, e.body, t.body FROM evaluations AS e "
      "LEFT JOIN queue_tasks AS t ON t.id = e.task "
      "WHERE e.task >= ?1 AND e.task <= ?2 AND e.sequence > ?3 ORDER BY e.sequence "
      "LIMIT ?4");
  if (!query) return query.error();
  query->Bind(1, prefix).Bind(2, LastWith(prefix)).Bind(3, sequence).Bind(4, max);
  while (true) {
    const Result<bool> is_there = query->Step();
    if (!is_there) return is_there.error();
    if (!*is_there) return sequence;
    if (query->IsNull(3)) {
      return Error{Errc::kCorrupt,
                   fmt::format("task {}: its evaluation is stored, but not what was asked for",
                               query->Text(1))};
    }
    const Result<Evaluation> evaluation = ParseEvaluation(query->Text(2));
    if (!evaluation) return evaluation.error();
    const Result<Task> task = ParseTask(query->Text(3));
    if (!task) return task.error();
    if (auto visited = visit(*evaluation, *task); !visited) return visited.error();
    sequence = query->Integer(0);
  }
}

}  // namespace hone
