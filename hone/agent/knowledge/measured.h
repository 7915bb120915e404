// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/knowledge/passage.h"
#include "hone/agent/knowledge/trial_effects.h"
#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/tune/campaign/campaign_store.h"

namespace hone::agent {

// How an effect was measured.
enum class EffectOrigin : std::uint8_t {
  kProof,     // On fresh pairs, of all that the winner changed.
  kAblation,  // On fresh pairs: what was lost when this change alone was put back.
  kTrial,     // In the search. The best of many trials look better than they are.
};
std::string_view NameOf(EffectOrigin origin);  // "proof", "ablation", "trial"

// What one change was worth in one campaign on this machine.
struct MeasuredEffect {
  std::string campaign;  // "memory-3"
  std::string workload;  // "memory"; of a campaign without one its domain.
  WallTime ended;
  EffectOrigin origin = EffectOrigin::kProof;
  std::string name;  // The parameter or option; several with " + " between, changed together.
  std::string from;
  std::string to;
  std::string metric;     // What was to become better.
  PairedTest effect;      // A log-ratio, positive is better. A trial has no p-value.
  std::string verdict;    // Of its campaign: "gain", "no_gain", …
  bool is_joint = false;  // Of several changes together.

  bool IsShown() const { return effect.interval.low > 0 || effect.interval.high < 0; }
};

// Of the campaigns that ended: what was proven as a whole, what each parameter of a winner is
// worth, and ToldTrials. A suspicious verdict has none. Newest campaign first, as they are given.
std::vector<MeasuredEffect> MeasuredEffects(const std::vector<SearchedCampaign>& campaigns);

// Those of its name.
std::vector<std::string> NamesOf(const MeasuredEffect& effect);

// Those that are about this name, in capitals or not, with CONFIG_ or without; all if it is empty.
std::vector<MeasuredEffect> EffectsOf(const std::vector<MeasuredEffect>& all,
                                      std::string_view name);

// "vm.swappiness: 60 -> 10: mops_per_s +5.1 % [+2.0 %, +8.3 %], p = 0.0012, n = 24 pairs (proof,
// campaign memory-3, 2026-11-18)": one line for models.
std::string ToText(const MeasuredEffect& effect);
Json ToJson(const MeasuredEffect& effect);

// One passage a campaign that ended: its verdict, what it changed, what each change was worth, and
// what was tried in vain.
PassageGroup CampaignPassages(const std::vector<SearchedCampaign>& campaigns);

// What CampaignPassages has as origin and digest, without the trials that it takes a while to read.
inline constexpr const char* kCampaignsOrigin = "campaigns";
std::string DigestOfCampaigns(const std::vector<tune::StoredCampaign>& campaigns);

}  // namespace hone::agent
