// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/trial_effects.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "hone/tune/campaign/ablation.h"
#include "hone/tune/campaign/decisions.h"

namespace hone::agent {
namespace {

constexpr std::int64_t kMinPairs = 2;

bool IsMeasured(const Estimate& reward) {
  return reward.count >= kMinPairs && std::isfinite(reward.mean) && reward.standard_error > 0 &&
         std::isfinite(reward.standard_error);
}

double Sureness(const SearchedTrial& trial) {
  return std::abs(trial.reward.mean) / trial.reward.standard_error;
}

struct JudgedTrial {
  Candidate candidate;
  Outcome outcome = Outcome::kAccepted;
  Estimate reward;
};

void AddDecision(const tune::Decision& decision, std::map<std::int64_t, JudgedTrial>& trials) {
  if (auto ask = tune::ReadAsk(decision)) {
    trials[ask->trial].candidate = std::move(ask->candidate);
  } else if (const auto race = tune::ReadRace(decision)) {
    trials[race->trial].outcome = race->outcome;
    trials[race->trial].reward = race->reward;
  } else if (auto favourite = tune::ReadFinal(decision)) {
    trials[favourite->trial] = {std::move(favourite->candidate), favourite->outcome,
                                favourite->reward};
  }
}

}  // namespace

std::vector<SearchedTrial> SearchedTrials(const std::vector<tune::StoredDecision>& decisions) {
  std::map<std::int64_t, JudgedTrial> trials;
  for (const tune::StoredDecision& stored : decisions) AddDecision(stored.decision, trials);
  std::vector<SearchedTrial> measured;
  for (auto& [number, trial] : trials) {
    if (trial.outcome != Outcome::kAccepted || !IsMeasured(trial.reward)) continue;
    measured.push_back({std::move(trial.candidate), trial.reward});
  }
  return measured;
}

std::vector<SearchedTrial> ToldTrials(const SearchedCampaign& searched) {
  const Candidate& baseline = searched.campaign.start.baseline;
  std::vector<SearchedTrial> told;
  for (const SearchedTrial& trial : searched.trials) {
    const std::size_t changes = tune::ChangedParameters(baseline, trial.candidate).size();
    if (changes > 0 && changes <= kMaxTrialChanges) told.push_back(trial);
  }
  std::stable_sort(told.begin(), told.end(), [](const SearchedTrial& one, const auto& other) {
    return Sureness(one) > Sureness(other);
  });
  if (told.size() > kMaxToldTrials) told.resize(kMaxToldTrials);
  return told;
}

}  // namespace hone::agent
