// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/core/candidate.h"
#include "hone/core/metric.h"
#include "hone/tune/campaign/campaign_store.h"

namespace hone::agent {

// What a search measured of one candidate, beside the baseline.
struct SearchedTrial {
  Candidate candidate;
  Estimate reward;  // As the campaign judged it last.
};

// A campaign that ended, with what its search measured.
struct SearchedCampaign {
  tune::StoredCampaign campaign;
  std::vector<SearchedTrial> trials = {};
};

// The trials that ran to the end in two pairs or more, by number. A decision that does not read as
// expected says nothing: an older build may have written it.
std::vector<SearchedTrial> SearchedTrials(const std::vector<tune::StoredDecision>& decisions);

// The surest of those trials that changed at most kMaxTrialChanges parameters: what a change of
// forty did tells of none of them.
inline constexpr std::size_t kMaxTrialChanges = 4;
inline constexpr std::size_t kMaxToldTrials = 12;
std::vector<SearchedTrial> ToldTrials(const SearchedCampaign& searched);

}  // namespace hone::agent
