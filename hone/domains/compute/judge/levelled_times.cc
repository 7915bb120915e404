// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/levelled_times.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "hone/domains/compute/judge/quiet_periods.h"
#include "hone/measure/statistics.h"

namespace hone::compute {
namespace {

constexpr std::size_t kMinOfVariant = 3;

std::map<std::size_t, std::vector<double>> GroupsOf(std::span<const double> values,
                                                    std::span<const std::size_t> variants) {
  std::map<std::size_t, std::vector<double>> groups;
  for (std::size_t i = 0; i < values.size(); ++i) groups[variants[i]].push_back(values[i]);
  return groups;
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

std::vector<double> MeanRatios(std::span<const double> ratios,
                               std::span<const std::size_t> variants, std::size_t count) {
  if (count < 2 || ratios.empty()) return {ratios.begin(), ratios.end()};
  const auto groups = GroupsOf(ratios, variants);
  std::size_t partners = ratios.size();
  double least = 0;
  for (const auto& [variant, values] : groups) {
    partners = std::min(partners, values.size());
    least = std::min(least, HodgesLehmann(values));
  }
  const double unknown = least * static_cast<double>(count - groups.size());
  std::vector<double> means(partners, unknown / static_cast<double>(count));
  for (const auto& [variant, values] : groups) {
    for (std::size_t i = 0; i < partners; ++i) means[i] += values[i] / static_cast<double>(count);
  }
  return means;
}

}  // namespace hone::compute
