// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hone/agent/rewards/judge_calibration.h"
#include "hone/agent/rewards/performance_reward.h"
#include "hone/tune/campaign/campaign_history.h"

namespace hone::agent {

// What a trial measured, with the 95 % interval of its estimate. nullopt: it was not accepted, not
// judged, or has no spread yet.
std::optional<MeasuredLogRatio> EffectOf(const tune::TrialHistory& trial);

// The trials of a campaign that a judge can be calibrated on: each with what it changes and what
// that did.
std::vector<MeasuredConfiguration> MeasuredConfigurationsOf(const tune::CampaignHistory& history);

}  // namespace hone::agent
