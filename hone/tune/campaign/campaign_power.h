// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "hone/tune/campaign/campaign_spec.h"

// What a whole campaign can find, search and proof together. The table in power_table.inc was made
// by simulation (`bench/honesty --calibrate`, engine `bayes`). How parameters act is not known
// beforehand, so answers are ranges over the ways that were simulated.
namespace hone::tune {

struct CampaignSize {
  std::int64_t trials = 0;      // Candidates, at most.
  std::int64_t parameters = 0;  // Of the space.
  double noise = 0;             // Standard deviation of one pair's log-ratio.
};

// From the parameters that hide the optimum best to the kindest.
struct FindChance {
  double low = 0;
  double high = 0;
};

// The share of such campaigns that claim a gain where the optimum beats the baseline by `gain` (a
// log-ratio). None outside of what was simulated.
std::optional<FindChance> ChanceToFind(const CampaignSize& size, double gain);

// The optimum (a log-ratio) of which four in five such campaigns claim a gain: where parameters act
// in the kindest way, and in the worst. None in the worst: not even a large one.
struct FindableOptimum {
  double kindest = 0;
  std::optional<double> worst;

  bool operator==(const FindableOptimum&) const = default;
};
std::optional<FindableOptimum> OptimumFound(const CampaignSize& size);

// Whether what decides how much such a campaign finds is set as in those that were simulated. What
// ends its search early, and prices of changes, are not in the spec.
bool IsLikeSimulated(const CampaignSpec& spec);

}  // namespace hone::tune
