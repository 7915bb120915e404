// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/core/rng.h"
#include "hone/core/space.h"
#include "hone/learn/ppo.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::learn {

// Trains the policy on a surrogate that is fitted to the trials of earlier campaigns: made-up steps
// from `observation`, rewarded with what the surrogate expects, so that real ones are spent well.
void PretrainOn(const std::vector<tune::Trial>& history, const Space& space,
                const Candidate& baseline, PpoLearner& learner,
                const std::vector<double>& observation, const Rng& rng);

}  // namespace hone::learn
