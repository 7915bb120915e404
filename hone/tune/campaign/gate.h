// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/core/reward.h"
#include "hone/measure/paired.h"
#include "hone/tune/campaign/campaign_spec.h"
#include "hone/tune/campaign/decisions.h"
#include "hone/tune/campaign/search_book.h"

namespace hone::tune {

// What is known of the benchmark before anything is tried: the baseline against itself.
struct GateReport {
  std::int64_t pairs = 0;
  double noise = 0;              // Standard deviation of one pair's reward, robust.
  double variation = 0;          // Of a single run of the first objective: robust CV.
  double drift = 0;              // Relative change of the level over the gate's runs.
  double drift_p = 1;            // That there is none.
  double autocorrelation = 0;    // Between neighbouring runs.
  std::int64_t outliers = 0;     // Runs that lie apart; kept.
  std::int64_t marked_runs = 0;  // Runs during which the machine was disturbed.
  PairedTest difference;         // Between A and A: none is expected.
  double detectable = 0;         // The smallest gain that the longest proof would find (80 %).
  std::chrono::microseconds run_time{0};   // Of one run, typical.
  std::chrono::microseconds pair_time{0};  // Of a pair, with all that is done beside the runs.
  std::int64_t planned_runs = 0;           // Of the whole campaign, a generous estimate.
  std::vector<std::string> warnings;       // Each says what to do.
};

// An Error if the rule cannot be computed on the baseline's own metrics.
Result<GateReport> JudgeGate(const CampaignSpec& spec, std::int64_t parameters,
                             const std::vector<SamplePair>& pairs);

// One for each limit that the baseline breaks against itself.
std::vector<std::string> WarningsOfLimits(const RewardRule& rule, const PairNumbers& numbers);

// How many runs may still come once the search has ended.
std::int64_t RunsAfterSearch(const CampaignSpec& spec, std::int64_t parameters);

// The report of the gate's decision; none before it was made.
std::optional<GateReport> FindGate(const std::vector<Decision>& decisions);

using hone::ToJson;
Json ToJson(const GateReport& report);
Result<GateReport> ReadGateReport(const Json& json, const std::string& what);

}  // namespace hone::tune
