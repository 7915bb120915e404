// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/core/result.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::tune {

// Random search over a scrambled Sobol sequence. It recommends by an empirical-Bayes posterior
// mean: each reward is drawn towards the mean of all, the further the larger its standard error.
// docs/algorithms/random.md
Result<std::unique_ptr<Proposer>> MakeRandomSearch(const ProposerSettings& settings);

ProposerEntry RandomSearchEntry();

}  // namespace hone::tune
