// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "hone/app/tune_plan.h"
#include "hone/base/clock.h"
#include "hone/core/result.h"

namespace hone::app {

// Lets the plan's engine begin with what a stored run has learnt: with the policy that was stored
// with it, if its engine keeps one, trained further on a surrogate that is fitted to its trials.
// Both become options of the engine and so a part of the new campaign, which can be resumed and
// replayed without the old one. Returns a line for people: what the engine begins with.
//
// kInvalidArgument if the run is of another domain, has other parameters or another goal, or if the
// engine cannot learn from other runs.
Result<std::string> WarmStart(const std::filesystem::path& store, Clock& clock,
                              const std::string& run, TunePlan& plan);

}  // namespace hone::app
