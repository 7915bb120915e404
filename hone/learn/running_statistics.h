// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hone::learn {

// Mean and variance of rows of numbers, column by column, as batches of them come: the parallel
// update of Chan, Golub and LeVeque, begun as Stable-Baselines3 begins it (mean 0, variance 1,
// weight 1e-4).
struct RunningStatistics {
  explicit RunningStatistics(std::size_t width = 0) : mean(width, 0), variance(width, 1) {}

  void Update(std::span<const double> rows);  // One or more, without gaps.

  bool operator==(const RunningStatistics&) const = default;

  std::vector<double> mean;
  std::vector<double> variance;
  double count = 1e-4;
};

// Observations less their mean, in standard deviations, kept within ±10.
void NormaliseObservations(const RunningStatistics& statistics, std::span<double> rows);

// Rewards in standard deviations of the discounted return, kept within ±10. The mean stays: it says
// what is good.
class RewardNormaliser {
 public:
  RewardNormaliser(std::size_t environments, double gamma)
      : statistics(1), returns(environments, 0), gamma_(gamma) {}

  // One step of every environment. `ends` tells where an episode ended with it.
  void Normalise(std::span<double> rewards, const std::vector<bool>& ends);

  RunningStatistics statistics;
  std::vector<double> returns;

 private:
  double gamma_;
};

}  // namespace hone::learn
