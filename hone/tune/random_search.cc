// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/random_search.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/core/rng.h"
#include "hone/tune/sobol.h"
#include "hone/tune/trial_memory.h"

namespace hone {
namespace {

constexpr int kMostTries = 64;  // For a candidate that was not asked before.

// Rewards of candidates are thought to come from a normal distribution.
struct Population {
  double mean = 0;
  double variance = 0;
};

double PrecisionMean(const std::vector<Trial>& trials, double variance) {
  double sum = 0;
  double weights = 0;
  for (const Trial& trial : trials) {
    const double weight =
        1 / (variance + trial.reward.standard_error * trial.reward.standard_error);
    sum += weight * trial.reward.mean;
    weights += weight;
  }
  return sum / weights;
}

// How far the rewards scatter around their mean, in units of what noise and `variance` explain;
// it falls as the variance grows.
double ExcessScatter(const std::vector<Trial>& trials, double variance) {
  const double centre = PrecisionMean(trials, variance);
  double sum = 0;
  for (const Trial& trial : trials) {
    const double off = trial.reward.mean - centre;
    sum += off * off / (variance + trial.reward.standard_error * trial.reward.standard_error);
  }
  return sum - (static_cast<double>(trials.size()) - 1);
}

// The variance at which the scatter is exactly as large as expected (Paule and Mandel, 1982).
Population Fit(const std::vector<Trial>& trials) {
  double least = 1e-12;
  double most = 1e-12;
  for (const Trial& trial : trials) most = std::max(most, trial.reward.mean * trial.reward.mean);
  most *= 4 * static_cast<double>(trials.size());
  if (ExcessScatter(trials, least) > 0) {
    for (int step = 0; step < 100; ++step) {
      const double middle = std::sqrt(least * most);
      (ExcessScatter(trials, middle) > 0 ? least : most) = middle;
    }
  }
  return {.mean = PrecisionMean(trials, least), .variance = least};
}

Estimate Shrunken(const Estimate& seen, const Population& population) {
  const double noise = seen.standard_error * seen.standard_error;
  const double share = population.variance / (population.variance + noise);
  return {.mean = population.mean + share * (seen.mean - population.mean),
          .standard_error = std::sqrt(share * noise),
          .count = seen.count};
}

class RandomSearch final : public Proposer {
 public:
  explicit RandomSearch(const ProposerSettings& settings)
      : space_(settings.space),
        baseline_(settings.baseline),
        sobol_(settings.space.UnitSize(), Rng(settings.seed).Split("random")) {}

  Result<Candidate> Ask() override {
    Candidate candidate = baseline_;
    for (int tries = 0; tries < kMostTries; ++tries) {
      candidate.assignment = space_.FromUnit(sobol_.Next());
      if (candidate != baseline_ && !memory_.WasAsked(candidate)) break;
    }
    memory_.NoteAsked(candidate);
    return candidate;
  }

  Result<void> Tell(const Trial& trial) override { return memory_.Tell(space_, trial); }

  Result<std::vector<Recommendation>> Recommend(std::size_t most) override {
    const std::vector<Trial> feasible = memory_.Feasible();
    std::vector<Recommendation> best;
    if (feasible.empty()) return best;
    const Population population = Fit(feasible);
    for (const Trial& trial : feasible) {
      const Estimate belief = Shrunken(trial.reward, population);
      if (belief.mean > 0) best.push_back({.candidate = trial.candidate, .reward = belief});
    }
    std::stable_sort(best.begin(), best.end(),
                     [](const auto& a, const auto& b) { return a.reward.mean > b.reward.mean; });
    best.resize(std::min(best.size(), most));
    return best;
  }

  std::optional<double> ExpectedRemainingGain() override { return std::nullopt; }

 private:
  const Space& space_;
  Candidate baseline_;
  ScrambledSobol sobol_;
  TrialMemory memory_;
};

}  // namespace

Result<std::unique_ptr<Proposer>> MakeRandomSearch(const ProposerSettings& settings) {
  if (settings.space.UnitSize() == 0) {
    return Error{Errc::kInvalidArgument, "proposer random: the space has no parameters"};
  }
  if (!settings.options.empty()) {
    return Error{Errc::kInvalidArgument, "proposer random: unknown option " +
                                             settings.options.begin()->first + "; it has none"};
  }
  return std::make_unique<RandomSearch>(settings);
}

ProposerEntry RandomSearchEntry() {
  return {
      .name = "random", .summary = "scrambled Sobol points; no model", .make = MakeRandomSearch};
}

}  // namespace hone
