// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/core/result.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::tune {

// Bayesian optimisation: a Gaussian process that knows each reward's standard error and that the
// baseline is at 0, a second one that learns where candidates fail, and a search for the candidate
// that promises most. docs/algorithms/bayes.md says why it is as it is, with numbers.
Result<std::unique_ptr<Proposer>> MakeBayes(const ProposerSettings& settings);

ProposerEntry BayesEntry();

}  // namespace hone::tune
