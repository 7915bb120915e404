// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/trial_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace hone::tune {
namespace {

bool IsSound(const Estimate& estimate) {
  return std::isfinite(estimate.mean) && std::isfinite(estimate.standard_error) &&
         estimate.standard_error >= 0;
}

// The mean of two estimates of one number, weighted by precision. An exact one wins.
Estimate Pooled(const Estimate& a, const Estimate& b) {
  const double va = a.standard_error * a.standard_error;
  const double vb = b.standard_error * b.standard_error;
  const double share = va + vb > 0 ? vb / (va + vb) : 0.5;  // Of a.
  return {.mean = share * a.mean + (1 - share) * b.mean,
          .standard_error = std::sqrt(share * va),
          .count = a.count + b.count};
}

}  // namespace

void TrialMemory::NoteAsked(const Candidate& candidate) {
  pending_.push_back(candidate);
  asked_.insert(ToText(candidate.assignment));
  ++asks_;
}

Result<void> TrialMemory::Tell(const Space& space, const Trial& trial) {
  const bool is_sound = IsSound(trial.reward) &&
                        std::all_of(trial.objectives.begin(), trial.objectives.end(), IsSound);
  if (trial.outcome == Outcome::kAccepted && !is_sound) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("trial {}: an accepted trial needs finite estimates", trial.number)};
  }
  if (auto fault = space.Validate(trial.candidate.assignment); !fault) return fault.error();
  if (trials_.insert_or_assign(trial.number, trial).second) {
    const auto asked = std::find(pending_.begin(), pending_.end(), trial.candidate);
    if (asked != pending_.end()) pending_.erase(asked);
    asked_.insert(ToText(trial.candidate.assignment));
  }
  return {};
}

bool TrialMemory::WasAsked(const Candidate& candidate) const {
  return asked_.contains(ToText(candidate.assignment));
}

bool TrialMemory::IsPending(const Candidate& candidate) const {
  return std::find(pending_.begin(), pending_.end(), candidate) != pending_.end();
}

std::vector<Trial> TrialMemory::Feasible() const {
  std::vector<Trial> pooled;
  std::map<std::string, std::size_t> places;
  std::set<std::string> refused;
  for (const auto& [number, trial] : trials_) {
    const std::string text = ToText(trial.candidate.assignment);
    if (!IsFeasible(trial)) {
      refused.insert(text);
      continue;
    }
    const auto [place, is_new] = places.try_emplace(text, pooled.size());
    if (is_new) {
      pooled.push_back(trial);
    } else {
      Trial& earlier = pooled[place->second];
      earlier.reward = Pooled(earlier.reward, trial.reward);
    }
  }
  std::erase_if(pooled, [&](const Trial& trial) {
    return refused.contains(ToText(trial.candidate.assignment));
  });
  return pooled;
}

}  // namespace hone::tune
