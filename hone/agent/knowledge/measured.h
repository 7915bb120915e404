// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/knowledge/passage.h"
#include "hone/base/json/json.h"
#include "hone/tune/campaign/campaign_store.h"

namespace hone::agent {

// What one change was worth in one campaign on this machine.
struct MeasuredEffect {
  std::string campaign;  // "memory-3"
  std::string name;      // The parameter or option; several with " + " between, proven together.
  std::string from;
  std::string to;
  std::string metric;     // What was to become better.
  PairedTest effect;      // A log-ratio, positive is better.
  std::string verdict;    // Of its campaign: "gain", "no_gain", …
  bool is_joint = false;  // The proof of several changes together.

  bool IsShown() const { return effect.interval.low > 0 || effect.interval.high < 0; }
};

// Of the campaigns that ended: what each parameter of a winner is worth, and what was proven as a
// whole. A suspicious verdict has none. Newest campaign first, as they are given.
std::vector<MeasuredEffect> MeasuredEffects(const std::vector<tune::StoredCampaign>& campaigns);

// Those that are about this name, in capitals or not, with CONFIG_ or without; all if it is empty.
std::vector<MeasuredEffect> EffectsOf(const std::vector<MeasuredEffect>& all,
                                      std::string_view name);

// "+31.2 % [+28.0 %, +34.6 %], p = 0.0001, n = 24 pairs": one line for people and models.
std::string ToText(const MeasuredEffect& effect);
Json ToJson(const MeasuredEffect& effect);

// One passage a campaign that ended: its verdict, what it changed, what each change was worth, and
// what was tried in vain.
PassageGroup CampaignPassages(const std::vector<tune::StoredCampaign>& campaigns);

}  // namespace hone::agent
