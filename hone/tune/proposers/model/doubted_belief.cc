// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/doubted_belief.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/measure/distributions.h"

namespace hone::tune {
namespace {

using Eigen::Index;

constexpr double kCaution = 0.5;        // Standard deviations.
constexpr std::size_t kFewestSeen = 2;  // Of one nothing can be said of their spread.
constexpr double kBySheerNoise = 0.01;  // The chance of what is sure all the same.

double Careful(const Estimate& belief) { return belief.mean - kCaution * belief.standard_error; }

std::vector<Estimate> SeenBy(const GaussianProcess& process) {
  const Observations& all = process.observations();
  std::vector<Estimate> seen;
  for (Index i = 1; i < all.values.size(); ++i) {
    seen.push_back(
        {.mean = all.values(i), .standard_error = std::sqrt(all.variances(i)), .count = 1});
  }
  return seen;
}

// What the best of so many normal draws exceeds with this chance, in standard errors.
double BestOfNoise(std::size_t count, double chance) {
  return NormalQuantile(std::pow(1 - chance, 1 / static_cast<double>(count)));
}

}  // namespace

DoubtedBelief::DoubtedBelief(const GaussianProcess& process) {
  const std::vector<Estimate> seen = SeenBy(process);
  if (seen.size() < kFewestSeen) return;
  population_ = FitPopulation(seen);
  best_of_noise_ = BestOfNoise(seen.size(), 0.5);
  beyond_noise_ = BestOfNoise(seen.size(), kBySheerNoise);
  const double against = LogEvidence(population_, seen) - process.LogEvidenceGivenFirst();
  trust_ = 1 / (1 + std::exp(against));
}

DoubtedBelief::Doubted DoubtedBelief::Unseen(const Estimate& by_process) const {
  const Estimate alone = tune::Unseen(population_);
  return Mixed(by_process, alone, Careful(alone));
}

// One that stands out of the population further than the best of as many that are all noise is no
// part of it, and counts by its own runs. What noise cannot explain at all no belief talks away: a
// process would take it for its nugget.
DoubtedBelief::Doubted DoubtedBelief::Seen(const Estimate& by_process, const Estimate& own) const {
  const Estimate alone = Shrunken(population_, own);
  const double hit = own.mean - best_of_noise_ * own.standard_error;
  const Doubted mixed = Mixed(by_process, alone, std::max(Careful(alone), hit));
  const double sure = own.mean - beyond_noise_ * own.standard_error;
  return sure > mixed.careful ? Doubted{.reward = own, .careful = sure} : mixed;
}

DoubtedBelief::Doubted DoubtedBelief::Mixed(const Estimate& by_process, const Estimate& alone,
                                            double careful_alone) const {
  const double mean = trust_ * by_process.mean + (1 - trust_) * alone.mean;
  const auto spread = [mean](const Estimate& belief) {
    const double off = belief.mean - mean;
    return belief.standard_error * belief.standard_error + off * off;
  };
  const double variance = trust_ * spread(by_process) + (1 - trust_) * spread(alone);
  return {.reward = {.mean = mean, .standard_error = std::sqrt(variance), .count = alone.count},
          .careful = trust_ * Careful(by_process) + (1 - trust_) * careful_alone};
}

}  // namespace hone::tune
