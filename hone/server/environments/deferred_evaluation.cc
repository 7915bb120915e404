// SPDX-License-Identifier: Apache-2.0
#include "hone/server/environments/deferred_evaluation.h"

namespace hone::server {

env::Evaluator DeferredEvaluation::Evaluator() {
  return [this](const Task& task) { return Evaluate(task); };
}

void DeferredEvaluation::Begin() {
  asked_.reset();
  answer_.reset();
}

std::optional<Task> DeferredEvaluation::TakeAsked() { return std::exchange(asked_, std::nullopt); }

Result<Evaluation> DeferredEvaluation::Evaluate(const Task& task) {
  if (answer_) return *std::exchange(answer_, std::nullopt);
  asked_ = task;
  return Error{Errc::kUnavailable, "environment: not evaluated yet"};
}

}  // namespace hone::server
