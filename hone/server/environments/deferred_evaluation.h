// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/env/domain_environment.h"

namespace hone::server {

// An evaluator in two halves, so that no thread waits in between. The first time it is asked it
// notes the task and fails; whoever has the task evaluated gives the answer, and asks again. This
// works because an environment stands where it stood after an error (env/environment.h). Not safe
// for concurrent use.
class DeferredEvaluation {
 public:
  DeferredEvaluation() = default;
  DeferredEvaluation(const DeferredEvaluation&) = delete;
  DeferredEvaluation& operator=(const DeferredEvaluation&) = delete;

  // This outlives it.
  env::Evaluator Evaluator();

  // From here on nothing was asked for, and there is no answer.
  void Begin();

  // The task that was asked for and has no answer. Once only.
  std::optional<Task> TakeAsked();

  // Of whatever is asked for next.
  void Answer(Evaluation evaluation) { answer_ = std::move(evaluation); }

 private:
  Result<Evaluation> Evaluate(const Task& task);

  std::optional<Task> asked_;
  std::optional<Evaluation> answer_;
};

}  // namespace hone::server
