// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "hone/app/plan/tune_plan.h"
#include "hone/base/clock.h"
#include "hone/core/result.h"

namespace hone::app {

// Lets the plan's engine begin with what a stored run has learnt. bayes: with its trials, as far as
// they can be made with the plan's parameters, believed less than its own. ppo: with the policy
// that was stored with it, if its engine keeps one, trained further on a surrogate that is fitted
// to its trials; the parameters must be the same. All of it becomes options of the engine and so a
// part of the new campaign, which can be resumed and replayed without the old one. Returns a line
// for people: what the engine begins with.
//
// kInvalidArgument if the run is of another domain, has another goal or no trial that fits, or if
// the engine cannot learn from other runs.
Result<std::string> WarmStart(const std::filesystem::path& store, Clock& clock,
                              const std::string& run, TunePlan& plan);

}  // namespace hone::app
