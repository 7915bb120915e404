// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/core/check.h"
#include "hone/measure/distributions.h"

namespace hone {
namespace {

std::vector<double> Resample(std::span<const double> values, const Statistic& statistic, Rng& rng,
                             const Resampling& resampling) {
  HONE_CHECK(!values.empty() && resampling.resamples > 0);
  HONE_CHECK(0 < resampling.confidence && resampling.confidence < 1);
  std::vector<double> drawn(values.size());
  std::vector<double> results;
  results.reserve(static_cast<std::size_t>(resampling.resamples));
  for (std::int64_t i = 0; i < resampling.resamples; ++i) {
    for (double& value : drawn) value = values[rng.Below(values.size())];
    results.push_back(statistic(drawn));
  }
  return results;
}

// Efron's z0: how far the resampled statistics lie off the observed one, ties counted half.
double BiasOf(std::span<const double> resampled, double observed) {
  double below = 0;
  for (const double value : resampled) {
    if (value < observed) below += 1;
    if (value == observed) below += 0.5;
  }
  const auto count = static_cast<double>(resampled.size());
  return NormalQuantile(std::clamp(below / count, 0.5 / count, 1 - 0.5 / count));
}

// From the skewness of the statistic with each value left out in turn.
double AccelerationOf(std::span<const double> values, const Statistic& statistic) {
  std::vector<double> left(values.begin() + 1, values.end());
  std::vector<double> results;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) left[i - 1] = values[i - 1];
    results.push_back(statistic(left));
  }
  const double mean = Mean(results);
  double squares = 0;
  double cubes = 0;
  for (const double result : results) {
    squares += (mean - result) * (mean - result);
    cubes += (mean - result) * (mean - result) * (mean - result);
  }
  return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

}  // namespace

Interval BootstrapPercentile(std::span<const double> values, const Statistic& statistic, Rng rng,
                             Resampling resampling) {
  const std::vector<double> resampled = Resample(values, statistic, rng, resampling);
  const double tail = (1 - resampling.confidence) / 2;
  return {Quantile(resampled, tail), Quantile(resampled, 1 - tail)};
}

Interval BootstrapBca(std::span<const double> values, const Statistic& statistic, Rng rng,
                      Resampling resampling) {
  HONE_CHECK(values.size() >= 2);
  const std::vector<double> resampled = Resample(values, statistic, rng, resampling);
  const double bias = BiasOf(resampled, statistic(values));
  const double acceleration = AccelerationOf(values, statistic);
  const auto corrected = [&](double probability) {
    const double z = bias + NormalQuantile(probability);
    return Quantile(resampled, NormalCdf(bias + z / (1 - acceleration * z)));
  };
  const double tail = (1 - resampling.confidence) / 2;
  return {corrected(tail), corrected(1 - tail)};
}

}  // namespace hone
