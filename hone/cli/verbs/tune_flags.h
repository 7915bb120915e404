// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/app/plan/tune_plan.h"
#include "hone/cli/verb.h"
#include "hone/cli/verbs/tune_start.h"

// Flags of the verbs that measure a target: `tune` and `compare`. What they set outlives them.
namespace hone::cli {

// What to measure, and what must hold.
std::vector<Flag> GoalFlags(app::TuneRequest& request);

// How sure the answer must be.
std::vector<Flag> ProofFlags(app::TuneRequest& request);

// Whether and how it starts.
std::vector<Flag> StartFlags(StartChoices& choices);

}  // namespace hone::cli
