// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/reward.h"
#include "hone/core/task.h"
#include "hone/domains/domain.h"
#include "hone/env/environment.h"

namespace hone::env {

// Has a task evaluated, however that is done, and waits for it. An Error is a failure of the
// service. Environments that step in parallel may share one that is safe for concurrent use.
using Evaluator = std::function<Result<Evaluation>(const Task&)>;

struct DomainEnvironmentSettings {
  Options options;  // Of the domain, for the tasks.
  RewardRule rule;
  std::vector<Arm> order = {Arm::kBaseline, Arm::kCandidate};  // The runs of one step.
  std::int64_t max_steps = 32;                                 // In an episode.
  int max_failures = 3;  // In a row; then the episode is terminated.
  std::chrono::milliseconds run_timeout{60'000};
  std::string task_prefix = "env";  // Of the tasks' ids, unique where the tasks are evaluated.
  std::string owner;                // Of the tasks; a domain that touches the host needs one.
};

// A domain as an environment. An action is a point of the domain's space; the step evaluates it
// against the baseline. The reward is the mean of the rule's over the pairs of runs; it is the
// rule's failure reward if the candidate was not accepted or is outside a limit in the mean.
//
// An observation holds the parameters in force (of the last candidate that was accepted; of the
// baseline at first) in the unit cube, 1 or 0 for a failure in the last step, and each number of
// the last run relative to the baseline's: 0.1 is 10 % more, 0 where there is nothing to compare.
//
// Every episode plans its runs from position 0 and uses its own seed for them. Making one costs an
// evaluation of the baseline, which shows what runs report. The domain outlives the environment.
Result<std::unique_ptr<Environment>> MakeDomainEnvironment(const Domain& domain,
                                                           Evaluator evaluator,
                                                           DomainEnvironmentSettings settings);

}  // namespace hone::env
