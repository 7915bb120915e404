// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/random_search.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/core/rng.h"
#include "hone/tune/proposers/model/change_prices.h"
#include "hone/tune/proposers/model/population.h"
#include "hone/tune/proposers/model/sobol.h"
#include "hone/tune/proposers/model/trade_off.h"
#include "hone/tune/proposers/model/trial_memory.h"

namespace hone::tune {
namespace {

constexpr int kMaxDraws = 64;  // For a candidate that was not asked before.

std::vector<Estimate> Shrunken(const std::vector<Estimate>& seen) {
  const Population population = FitPopulation(seen);
  std::vector<Estimate> believed;
  believed.reserve(seen.size());
  for (const Estimate& each : seen) believed.push_back(Shrunken(population, each));
  return believed;
}

class RandomSearch final : public Proposer {
 public:
  explicit RandomSearch(const ProposerSettings& settings)
      : space_(settings.space),
        baseline_(settings.baseline),
        wants_front_(settings.wants_front),
        prices_(settings.space, settings.baseline.assignment, settings.prices,
                static_cast<std::size_t>(std::max<std::int64_t>(settings.planned_trials, 0))),
        sobol_(settings.space.UnitSize(), Rng(settings.seed).Split("random")) {}

  Result<Candidate> Ask() override {
    Candidate candidate = baseline_;
    for (int tries = 0; tries < kMaxDraws; ++tries) {
      candidate.assignment = space_.FromUnit(prices_.Settled(sobol_.Next(), memory_.asks()));
      if (candidate != baseline_ && !memory_.WasAsked(candidate)) break;
    }
    memory_.NoteAsked(candidate);
    return candidate;
  }

  Result<void> Tell(const Trial& trial) override { return memory_.Tell(space_, trial); }

  Result<std::vector<Recommendation>> Recommend(std::size_t max) override {
    const std::vector<Trial> feasible = memory_.Feasible();
    if (feasible.empty()) return std::vector<Recommendation>();
    std::vector<Estimate> rewards;
    rewards.reserve(feasible.size());
    for (const Trial& trial : feasible) rewards.push_back(trial.reward);
    rewards = Shrunken(rewards);
    std::vector<Recommendation> best;
    for (const std::size_t i : wants_front_ ? Front(feasible) : Gaining(rewards)) {
      best.push_back({.candidate = feasible[i].candidate, .reward = rewards[i]});
    }
    std::stable_sort(best.begin(), best.end(),
                     [](const auto& a, const auto& b) { return a.reward.mean > b.reward.mean; });
    best.resize(std::min(best.size(), max));
    return best;
  }

  std::optional<double> ExpectedRemainingGain() override { return std::nullopt; }

 private:
  static std::vector<std::size_t> Gaining(const std::vector<Estimate>& rewards) {
    std::vector<std::size_t> gaining;
    for (std::size_t i = 0; i < rewards.size(); ++i) {
      if (rewards[i].mean > 0) gaining.push_back(i);
    }
    return gaining;
  }

  // Those to which none is superior in every objective, the baseline included.
  static std::vector<std::size_t> Front(const std::vector<Trial>& feasible) {
    ObjectiveTable table = TabulateObjectives(feasible);
    for (Eigen::Index k = 0; k < table.means.rows(); ++k) {
      std::vector<Estimate> seen;
      for (Eigen::Index i = 1; i < table.means.cols(); ++i) {
        seen.push_back({.mean = table.means(k, i),
                        .standard_error = std::sqrt(table.variances(k, i)),
                        .count = 1});
      }
      const std::vector<Estimate> believed = Shrunken(seen);
      for (std::size_t i = 0; i < believed.size(); ++i) {
        table.means(k, static_cast<Eigen::Index>(i) + 1) = believed[i].mean;
      }
    }
    std::vector<std::size_t> front;
    for (const std::size_t column : NonDominated(table.means)) {
      if (column > 0) front.push_back(column - 1);
    }
    return front;
  }

  const Space& space_;
  Candidate baseline_;
  bool wants_front_;
  ChangePrices prices_;
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

}  // namespace hone::tune
