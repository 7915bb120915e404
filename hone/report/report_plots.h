// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/reward.h"
#include "hone/measure/paired.h"
#include "hone/tune/campaign/campaign_history.h"
#include "hone/tune/campaign/verdict.h"

// The figures of the report, each with its caption, as HTML. Empty where there is nothing to show.
// Their size is bounded, however long the campaign was.
namespace hone::report {

// Every trial's estimate in order, and the best so far.
std::string ProgressFigure(const tune::CampaignHistory& history,
                           const std::vector<tune::TrialHistory>& trials);

// The first objective in both runs of every pair.
std::string PairsFigure(const tune::CampaignHistory& history, const std::vector<SamplePair>& pairs);

// How the rewards of the pairs are distributed, and what was concluded from them.
std::string RewardsFigure(const tune::CampaignHistory& history, const std::vector<double>& rewards,
                          const PairedTest& test);

// The first objective over the runs of the A/A gate.
std::string GateFigure(const tune::CampaignHistory& history);

// The first two objectives of the points that were proven.
std::string FrontFigure(const tune::CampaignHistory& history,
                        const std::vector<tune::Proof>& front);

}  // namespace hone::report
