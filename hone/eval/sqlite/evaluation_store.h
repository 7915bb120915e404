// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include "hone/base/sqlite/sqlite.h"
#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/task.h"

namespace hone {

// The evaluations that a SQLite queue has settled, for reading, also while the queue is in use.
// Every evaluation is whole: all samples of both arms, with times, metrics and marks. For queries
// across many of them the file has the view evaluation_samples (docs/formats/evaluations.md).
// Not safe for concurrent use; several stores on one file are.
class EvaluationStore {
 public:
  // kNotFound if no queue ever lived in the file.
  static Result<EvaluationStore> Open(const std::filesystem::path& path);

  // nullopt: the task is not known, not settled, or ended without an evaluation.
  Result<std::optional<Evaluation>> Find(const TaskId& task);

  // What was asked for, for any task that was ever pushed; nullopt: it never was.
  Result<std::optional<Task>> FindTask(const TaskId& task);

  // Calls `visit` for each evaluation of a task whose id begins with `prefix`, with that task, in
  // the order in which they were settled: those after the one with this sequence (0: all), at most
  // so many of them. Returns the sequence of the last one, or the one given if there was none; an
  // Error of `visit` ends it and is returned. `visit` must not use this store.
  Result<std::int64_t> ForEachAfter(
      std::string_view prefix, std::int64_t sequence,
      const std::function<Result<void>(const Evaluation&, const Task&)>& visit,
      std::int64_t max = std::numeric_limits<std::int64_t>::max());

 private:
  explicit EvaluationStore(Database database) : database_(std::move(database)) {}

  Database database_;
};

}  // namespace hone
