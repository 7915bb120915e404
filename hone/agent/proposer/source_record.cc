// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/source_record.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "hone/core/value.h"
#include "hone/tune/proposers/model/trial_memory.h"

namespace hone::agent {
namespace {

constexpr std::size_t kNewestOfOthers = 5;  // Trials that a model's candidate is compared with.
constexpr double kPriorWins = 1;            // And as many losses.

double NormalShare(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

}  // namespace

void SourceRecord::NoteModels(const Candidate& candidate) {
  models_.insert(ToText(candidate.assignment));
}

void SourceRecord::Tell(const tune::Trial& trial) {
  told_[trial.number] = {.reward = trial.reward.mean,
                         .standard_error = trial.reward.standard_error,
                         .is_feasible = tune::IsFeasible(trial),
                         .is_models = models_.contains(ToText(trial.candidate.assignment))};
}

// What the other arm found just before, but no less than the baseline: who proposes next to
// nothing is not ahead of who explores.
double SourceRecord::ReferenceFor(std::int64_t number) const {
  std::vector<double> others;
  for (auto told = told_.lower_bound(number); told != told_.begin();) {
    --told;
    if (told->second.is_models) continue;
    others.push_back(told->second.is_feasible ? told->second.reward : -1);
    if (others.size() == kNewestOfOthers) break;
  }
  if (others.empty()) return 0;
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
  std::nth_element(others.begin(), middle, others.end());
  return std::max(*middle, 0.0);
}

double SourceRecord::Trust() const {
  double wins = kPriorWins;
  double losses = kPriorWins;
  for (const auto& [number, told] : told_) {
    if (!told.is_models) continue;
    const double spread = std::numbers::sqrt2 * std::max(told.standard_error, 1e-9);
    const double win =
        told.is_feasible ? NormalShare((told.reward - ReferenceFor(number)) / spread) : 0;
    wins += win;
    losses += 1 - win;
  }
  return wins / (wins + losses);
}

std::int64_t SourceRecord::measured() const {
  return std::count_if(told_.begin(), told_.end(),
                       [](const auto& told) { return told.second.is_models; });
}

}  // namespace hone::agent
