// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/levelled_times.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "hone/domains/compute/judge/quiet_periods.h"
#include "hone/measure/drift.h"
#include "hone/measure/statistics.h"

namespace hone::compute {
namespace {

constexpr std::size_t kMinOfVariant = 3;
constexpr double kMaxDependence = 0.8;
constexpr std::size_t kMinRatios = 2;  // Of a distribution, to have a centre of its own.

std::map<std::size_t, std::vector<double>> GroupsOf(std::span<const double> values,
                                                    std::span<const std::size_t> variants) {
  std::map<std::size_t, std::vector<double>> groups;
  for (std::size_t i = 0; i < values.size(); ++i) groups[variants[i]].push_back(values[i]);
  return groups;
}

// A mean of the groups' centres has the variance of one value times the mean of 1 / size, over the
// number of groups; the mean of all values would have it over their number. And what is left after
// each group lost its own centre scatters too little.
double WideningOf(const std::map<std::size_t, std::vector<double>>& groups, std::size_t values) {
  const auto count = static_cast<double>(groups.size());
  const auto all = static_cast<double>(values);
  double inverse = 0;
  for (const auto& [variant, group] : groups) inverse += 1 / static_cast<double>(group.size());
  return std::sqrt(all * inverse / (count * count) * (all - 1) / std::max(1.0, all - count));
}

// The factor by which an interval from values that depend on the one before is too narrow.
double DependenceOf(std::span<const double> values) {
  const double lag = std::clamp(Lag1Autocorrelation(values), 0.0, kMaxDependence);
  return std::sqrt((1 + lag) / (1 - lag));
}

PairedTest TestWidened(const std::vector<double>& ratios, double factor) {
  PairedTest test = TestPairs(ratios);
  test.interval.low = test.effect - factor * (test.effect - test.interval.low);
  test.interval.high = test.effect + factor * (test.interval.high - test.effect);
  return test;
}

}  // namespace

std::vector<double> LevelledTimes(std::span<const double> times,
                                  std::span<const std::size_t> variants) {
  const auto groups = GroupsOf(times, variants);
  std::vector<double> levelled(times.begin(), times.end());
  std::map<std::size_t, double> log_levels;
  std::vector<double> logs;
  for (const auto& [variant, values] : groups) {
    if (values.size() < kMinOfVariant) return levelled;
    logs.push_back(log_levels[variant] = std::log(LevelOf(values, 0)));
  }
  if (logs.size() < 2) return levelled;
  const auto [least, most] = std::ranges::minmax(logs);
  if (most - least < std::log(QuietRoom().share)) return levelled;
  for (std::size_t i = 0; i < times.size(); ++i) {
    levelled[i] *= std::exp(Mean(logs) - log_levels[variants[i]]);
  }
  return levelled;
}

LevelledRatios LevelRatios(std::span<const double> ratios, std::span<const std::size_t> variants,
                           std::size_t count) {
  LevelledRatios levelled{{ratios.begin(), ratios.end()}};
  if (count < 2 || ratios.empty()) return levelled;
  auto groups = GroupsOf(ratios, variants);
  std::map<std::size_t, double> centres;
  double least = 0;
  for (const auto& [variant, values] : groups) {
    const double centre = HodgesLehmann(values);
    least = std::min(least, centre);
    if (values.size() >= kMinRatios) centres[variant] = centre;
  }
  const auto unknown = static_cast<double>(count - centres.size());
  double mean = unknown * least;
  for (const auto& [variant, centre] : centres) mean += centre;
  mean /= static_cast<double>(count);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const auto found = centres.find(variants[i]);
    levelled.ratios[i] += mean - (found == centres.end() ? ratios[i] : found->second);
  }
  levelled.widening = WideningOf(groups, ratios.size());
  return levelled;
}

PairedTest TestAsIndependent(const LevelledRatios& levelled) {
  return TestWidened(levelled.ratios, levelled.widening);
}

PairedTest TestInOrder(const LevelledRatios& levelled) {
  return TestWidened(levelled.ratios, levelled.widening * DependenceOf(levelled.ratios));
}

}  // namespace hone::compute
