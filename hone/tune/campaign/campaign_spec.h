// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/core/candidate.h"
#include "hone/core/result.h"
#include "hone/core/reward.h"
#include "hone/core/task.h"

namespace hone::tune {

// How candidates are looked for.
struct SearchSettings {
  std::string proposer = "bayes";
  std::map<std::string, std::string> options;  // Of the proposer.
  std::int64_t max_trials = 40;
  std::int64_t max_pairs = 0;         // Of the whole search; 0: no limit of its own.
  std::chrono::seconds max_time{0};   // Of measuring, the gate included; 0: no limit.
  std::int64_t batch = 1;             // Candidates asked for at a time. It shapes the decisions,
                                      // unlike the number of workers.
  double min_remaining_gain = 0.002;  // Stop when the proposer expects less; 0: never.
};

// How many pairs a candidate gets during the search.
struct RaceSettings {
  std::int64_t first_pairs = 2;
  std::int64_t more_pairs = 2;  // At a time, while it is promising.
  std::int64_t max_pairs = 8;
};

// How the winner is proven.
struct ProofSettings {
  double confidence = 0.95;
  double power = 0.9;
  std::int64_t min_pairs = 12;
  std::int64_t max_pairs = 60;
  double min_gain = 0.01;      // Log-ratio below which a gain is of no interest.
  std::int64_t finalists = 3;  // Get more pairs before one is chosen; on a front, all are proven.
  bool has_ablation = true;
  // What the ablation leaves out is measured once more, on pairs that did not choose it. Campaigns
  // of older builds did not, and are walked through again as they were.
  bool confirms_dropped = true;
  // The pairs of the winner's proof, or of a comparison, are spread over this time: the gain of one
  // minute is not that of a day. 0: one after the other.
  std::chrono::milliseconds over{0};
};

// Two settings to compare, in place of a search. The campaign's baseline is A.
struct ComparisonSettings {
  std::string a;  // As the person named them: "now", a file.
  std::string b;
  Candidate candidate;  // What B sets.
};

// Everything that decides what a campaign does. Stored with it, so that it can be replayed.
struct CampaignSpec {
  std::string domain;
  Options options;
  RewardRule rule;
  bool wants_front = false;
  std::uint64_t seed = 1;
  std::int64_t gate_pairs = 10;
  std::chrono::milliseconds run_timeout{60'000};
  std::chrono::milliseconds max_time{0};  // Of all measuring: gate, search, proof and ablation are
                                          // planned to fit. 0: no limit.
  SearchSettings search;
  RaceSettings race;
  ProofSettings proof;
  std::optional<ComparisonSettings> comparison;  // Instead of a search.
};

// An Error names the setting, what was found and what is allowed.
Result<void> Validate(const CampaignSpec& spec);

using hone::ToJson;
Json ToJson(const CampaignSpec& spec);
Result<CampaignSpec> ReadCampaignSpec(const Json& json, const std::string& what);

}  // namespace hone::tune
