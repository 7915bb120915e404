// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace hone::agent {

// A correlation with its 95 % intervals: by Fisher's z, and by the bootstrap (percentiles of
// resampled pairs), which asks nothing of the distribution.
struct Correlation {
  double value = 0;
  double fisher_low = 0;
  double fisher_high = 0;
  double bootstrap_low = 0;
  double bootstrap_high = 0;

  // The lower of the two lower ends.
  double LowerBound() const { return fisher_low < bootstrap_low ? fisher_low : bootstrap_low; }
};

inline constexpr std::int64_t kResamples = 2000;

// Both lists are equally long, with finite numbers. nullopt if there are fewer than four, or one of
// the lists is constant: then nothing can be said.
// Pearson: r = sum (x - mx)(y - my) / sqrt(sum (x - mx)^2 sum (y - my)^2); z = atanh r has the
// standard error 1 / sqrt(n - 3) (Fisher, 1921).
std::optional<Correlation> PearsonCorrelation(const std::vector<double>& x,
                                              const std::vector<double>& y, std::uint64_t seed);

// Spearman: the same of the ranks, ties at their mean rank; the standard error of z is
// sqrt((1 + r^2 / 2) / (n - 3)) (Bonett and Wright, 2000).
std::optional<Correlation> SpearmanCorrelation(const std::vector<double>& x,
                                               const std::vector<double>& y, std::uint64_t seed);

// From 1; ties have the mean of their ranks.
std::vector<double> RanksOf(const std::vector<double>& values);

}  // namespace hone::agent
