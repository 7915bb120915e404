// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/population.h"

#include <algorithm>
#include <cmath>

namespace hone::tune {
namespace {

constexpr double kVarianceFloor = 1e-12;
constexpr int kBisections = 100;

double VarianceOfEstimate(const Estimate& estimate) {
  return estimate.standard_error * estimate.standard_error;
}

// The mean, weighed by precision, for this variance between the candidates.
Population WithVariance(const std::vector<Estimate>& seen, double variance) {
  double sum = 0;
  double weights = 0;
  for (const Estimate& each : seen) {
    const double weight = 1 / (variance + VarianceOfEstimate(each));
    sum += weight * each.mean;
    weights += weight;
  }
  return {.mean = sum / weights, .variance = variance, .mean_variance = 1 / weights};
}

// How far the estimates scatter around their mean beyond what noise and `variance` explain; it
// falls as the variance grows.
double ExcessScatter(const std::vector<Estimate>& seen, double variance) {
  const double centre = WithVariance(seen, variance).mean;
  double sum = 1 - static_cast<double>(seen.size());
  for (const Estimate& each : seen) {
    sum += (each.mean - centre) * (each.mean - centre) / (variance + VarianceOfEstimate(each));
  }
  return sum;
}

double MeanSquare(const std::vector<Estimate>& seen) {
  double sum = 0;
  for (const Estimate& each : seen) sum += each.mean * each.mean;
  return std::max(sum / static_cast<double>(seen.size()), kVarianceFloor);
}

}  // namespace

Population FitPopulation(const std::vector<Estimate>& seen) {
  double min = kVarianceFloor;
  double max = kVarianceFloor;
  for (const Estimate& each : seen) max = std::max(max, each.mean * each.mean);
  max *= 4 * static_cast<double>(seen.size());
  if (ExcessScatter(seen, min) > 0) {
    for (int step = 0; step < kBisections; ++step) {
      const double middle = std::sqrt(min * max);
      (ExcessScatter(seen, middle) > 0 ? min : max) = middle;
    }
  }
  return WithVariance(seen, min);
}

Estimate Shrunken(const Population& population, const Estimate& seen) {
  const double noise = VarianceOfEstimate(seen);
  const double share = population.variance / (population.variance + noise);
  const double rest = 1 - share;
  return {.mean = population.mean + share * (seen.mean - population.mean),
          .standard_error = std::sqrt(share * noise + rest * rest * population.mean_variance),
          .count = seen.count};
}

Estimate Unseen(const Population& population) {
  return {.mean = population.mean,
          .standard_error = std::sqrt(population.variance + population.mean_variance),
          .count = 0};
}

// The mean integrated out of a product of normal densities.
double LogEvidence(const Population& population, const std::vector<Estimate>& seen) {
  const double spread = MeanSquare(seen);
  double value = -0.5 * std::log(spread);
  double precision = 1 / spread;
  double pull = 0;
  for (const Estimate& each : seen) {
    const double variance = population.variance + VarianceOfEstimate(each);
    value -= 0.5 * (std::log(variance) + each.mean * each.mean / variance);
    precision += 1 / variance;
    pull += each.mean / variance;
  }
  return value - 0.5 * std::log(precision) + 0.5 * pull * pull / precision;
}

}  // namespace hone::tune
