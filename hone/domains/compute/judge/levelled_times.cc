// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/levelled_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "hone/domains/compute/judge/quiet_periods.h"
#include "hone/measure/statistics.h"

namespace hone::compute {
namespace {

constexpr std::size_t kMinOfVariant = 3;
constexpr std::size_t kMinRatios = 2;      // Of a distribution, to have a centre of its own,
constexpr std::size_t kMinOfOwnError = 6;  // and to say how well that is known.
constexpr double kSmallGroup = 1.3;  // The deviation of a few values is taken to be too small.

std::map<std::size_t, std::vector<double>> GroupsOf(std::span<const double> values,
                                                    std::span<const std::size_t> variants) {
  std::map<std::size_t, std::vector<double>> groups;
  for (std::size_t i = 0; i < values.size(); ++i) groups[variants[i]].push_back(values[i]);
  return groups;
}

// How well the centre of a group is known. A small one says little of that itself: at least as all
// values together say.
double ErrorOf(const std::vector<double>& group, double of_one) {
  const double root = std::sqrt(static_cast<double>(group.size()));
  if (group.size() >= kMinOfOwnError) return StandardErrorOfHodgesLehmann(group);
  const double own = group.size() < kMinRatios ? 0 : MeanAbsoluteDeviation(group) * kSmallGroup;
  return std::max(own, of_one) / root;
}

// The mean of the groups' centres has as its error the root of the sum of theirs squared, over
// their number.
double WideningOf(const std::map<std::size_t, std::vector<double>>& groups,
                  std::span<const double> levelled) {
  const auto count = static_cast<double>(groups.size());
  const auto all = static_cast<double>(levelled.size());
  if (all <= count) return std::numeric_limits<double>::infinity();
  const double of_all = StandardErrorOfHodgesLehmann(levelled);
  if (!(of_all > 0) || std::isinf(of_all)) return 1;
  double squares = 0;
  for (const auto& [variant, group] : groups) {
    squares += std::pow(ErrorOf(group, of_all * std::sqrt(all)), 2);
  }
  return std::max(1.0, std::sqrt(squares) / count / of_all) * std::sqrt((all - 1) / (all - count));
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
  const auto [min, max] = std::ranges::minmax(logs);
  if (max - min < std::log(QuietRoom().share)) return levelled;
  for (std::size_t i = 0; i < times.size(); ++i) {
    levelled[i] *= std::exp(Mean(logs) - log_levels[variants[i]]);
  }
  return levelled;
}

LevelledRatios LevelRatios(std::span<const double> ratios, std::span<const std::size_t> variants,
                           std::size_t count) {
  LevelledRatios levelled{{ratios.begin(), ratios.end()}};
  if (count < 2 || ratios.empty()) return levelled;
  const auto groups = GroupsOf(ratios, variants);
  std::map<std::size_t, double> centres;
  double min = 0;
  for (const auto& [variant, values] : groups) {
    const double centre = HodgesLehmann(values);
    min = std::min(min, centre);
    if (values.size() >= kMinRatios) centres[variant] = centre;
  }
  double mean = min * static_cast<double>(count - centres.size());
  for (const auto& [variant, centre] : centres) mean += centre;
  mean /= static_cast<double>(count);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const auto found = centres.find(variants[i]);
    levelled.ratios[i] += mean - (found == centres.end() ? ratios[i] : found->second);
  }
  levelled.widening = WideningOf(groups, levelled.ratios);
  return levelled;
}

Interval Widened(const PairedTest& test, double factor) {
  if (std::isinf(factor)) return {};
  return {test.effect - factor * (test.effect - test.interval.low),
          test.effect + factor * (test.interval.high - test.effect)};
}

}  // namespace hone::compute
