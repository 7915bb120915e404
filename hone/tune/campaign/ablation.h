// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/tune/campaign/stage.h"
#include "hone/tune/campaign/verdict.h"

namespace hone::tune {

struct AblationSettings {
  double gain = 0;   // Of the winner, as proven.
  double noise = 0;  // Standard deviation of one pair.
};

struct AblationResult {
  Candidate candidate;                   // The smallest change that gives the gain.
  std::vector<std::string> dropped;      // Parameters put back because that costs nothing.
  std::vector<ParameterEffect> effects;  // Of those kept, largest first.
};

// Puts parameters of the winner back to the baseline's values, halves of them at a time and then
// single ones, and leaves back what costs nothing; all that is left back together may cost a small
// share of the gain, and is measured once more for that. Then measures what each parameter kept is
// worth, and leaves back what turns out to be worth nothing. Every comparison is between the winner
// so far and the winner with less, pair by pair.
Result<AblationResult> Ablate(Stage& stage, const Candidate& winner,
                              const AblationSettings& settings);

// The parameters at which the candidates differ.
std::vector<std::string> ChangedParameters(const Candidate& baseline, const Candidate& candidate);

// The candidate with these parameters as in the baseline; children of conditions that appear take
// the baseline's or the default value. nullopt if the space does not allow it.
std::optional<Candidate> PutBack(const Space& space, const Candidate& baseline,
                                 const Candidate& candidate, const std::vector<std::string>& names);

}  // namespace hone::tune
