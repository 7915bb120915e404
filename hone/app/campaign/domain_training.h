// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "hone/app/builtins.h"
#include "hone/app/plan/tune_plan.h"
#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/env/environment.h"
#include "hone/env/vector_environment.h"

namespace hone::app {

// A target of `hone tune` as environments for a learner: its domain, options, objectives, limits
// and the timeout of a run are the plan's. One worker of this process makes the runs, through a
// queue in memory, so that no run disturbs another. What it made must be gone before it is.
class DomainTraining {
 public:
  virtual ~DomainTraining() = default;

  virtual Result<std::unique_ptr<env::Environment>> MakeEnvironment() = 0;

  // So many, stepped in turn.
  virtual Result<std::unique_ptr<env::VectorEnvironment>> MakeEnvironments(std::int64_t count) = 0;

  // Ends the worker, which puts back what it changed, and says so: Domain::DescribeRestore.
  virtual std::string Close() = 0;
};

// Nothing is touched before the first environment is made, which runs the baseline.
// kInvalidArgument if there is nothing to choose, kUnsupported if this machine lacks what the
// domain needs. Once `abandon` is asked for, every step is kUnavailable. `builtins` and `clock`
// outlive it.
Result<std::unique_ptr<DomainTraining>> MakeDomainTraining(TunePlan plan, const Builtins& builtins,
                                                           Clock& clock, std::stop_token abandon);

}  // namespace hone::app
