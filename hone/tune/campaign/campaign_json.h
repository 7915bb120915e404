// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hone/base/json/json.h"
#include "hone/tune/campaign/campaign_history.h"
#include "hone/tune/campaign/progress.h"

// A campaign as the dashboard and the report's plots take it: docs/api.md describes these
// documents. Rewards and effects are shares here (0.05 is +5 %, positive is better); numbers that
// are not finite are null. Verdict, gate and ablation are as they are stored: log-ratios.
namespace hone::tune {

// A reward of the rule as a share of the baseline.
double ShareOf(const RewardRule& rule, double reward);
Json ShareJson(const RewardRule& rule, const Estimate& reward);

Json FiniteOrNull(double value);

// "threads 24 -> 41, source changed"; "no change".
std::string ChangesText(const Candidate& baseline, const Candidate& candidate);

// One line of a list. `state` is "running", "stopped" or "done".
Json LineJson(const StoredCampaign& campaign, std::string_view state,
              const CampaignActivity& activity, const CampaignLabel& label = {});

// What does not change, or only at the end.
Json CampaignJson(const CampaignHistory& history, std::string_view state,
                  const CampaignLabel& label = {});

Json BlockJson(const CampaignStart& start, const HistoryBlock& block);

// Every run of a block, in its order: what it measured, what was observed, what it printed.
Json RunsJson(const HistoryBlock& block);

// `best` is the trial that is the best so far, with this one.
Json TrialJson(const CampaignStart& start, const TrialHistory& trial, WallTime at,
               std::optional<std::int64_t> best);
Json VerdictJson(const CampaignSpec& spec, const Verdict& verdict);

}  // namespace hone::tune
