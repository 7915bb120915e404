// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/space.h"
#include "hone/learn/ppo_settings.h"
#include "hone/learn/tuning_policy.h"

namespace hone::learn {

// What a campaign has taught a policy, for a later campaign to begin with. The optimiser's memory
// is no part of it: that belongs to the rewards of the campaign that it was. docs/formats/policy.md
struct CampaignPolicy {
  Space space;
  std::vector<std::int64_t> net_arch;
  Activation activation_fn = Activation::kTanh;
  Precision precision = Precision::kSingle;
  std::int64_t trials = 0;                // It learnt from, in this campaign and those before.
  std::vector<TuningView::Delta> deltas;  // That it sees, in their places.
  std::vector<double> parameters;         // Of both networks.
};

// A JSON document on one line; the same for equal policies.
std::string ToText(const CampaignPolicy& policy);
Result<CampaignPolicy> ReadCampaignPolicy(const std::string& text, const std::string& what);

// Why a policy for one space means nothing in the other, naming the first parameter at which they
// differ; empty if it can be used. Values in force now may differ: those a policy is told.
std::string WhyUnfit(const Space& trained, const Space& now);

}  // namespace hone::learn
