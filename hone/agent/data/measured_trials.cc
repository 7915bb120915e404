// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/measured_trials.h"

#include <cmath>

#include "hone/measure/distributions.h"
#include "hone/tune/campaign/campaign_json.h"

namespace hone::agent {

std::optional<MeasuredLogRatio> EffectOf(const tune::TrialHistory& trial) {
  if (trial.outcome != Outcome::kAccepted || !trial.reward || trial.reward->count < 2) {
    return std::nullopt;
  }
  const Estimate& reward = *trial.reward;
  const double reach = kErrorsOf95 * reward.standard_error;
  if (!std::isfinite(reward.mean) || !std::isfinite(reach) || !(reach > 0)) return std::nullopt;
  return MeasuredLogRatio{reward.mean, reward.mean - reach, reward.mean + reach, reward.count};
}

std::vector<MeasuredConfiguration> MeasuredConfigurationsOf(const tune::CampaignHistory& history) {
  std::vector<MeasuredConfiguration> measured;
  const Candidate& baseline = history.campaign.start.baseline;
  for (const tune::TrialHistory& trial : tune::TrialsOf(history)) {
    const auto effect = EffectOf(trial);
    if (effect) measured.push_back({tune::ChangesText(baseline, trial.candidate), *effect});
  }
  return measured;
}

}  // namespace hone::agent
