// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/running_statistics.h"

#include <algorithm>
#include <cmath>

namespace hone::learn {
namespace {

constexpr double kMaxDeviations = 10;
constexpr double kMinVariance = 1e-8;  // Added before dividing.

}  // namespace

void RunningStatistics::Update(std::span<const double> rows) {
  const std::size_t width = mean.size();
  const std::size_t count_of_rows = rows.size() / width;
  const auto batch = static_cast<double>(count_of_rows);
  const double total = count + batch;
  for (std::size_t j = 0; j < width; ++j) {
    double sum = 0;
    for (std::size_t i = j; i < rows.size(); i += width) sum += rows[i];
    const double batch_mean = sum / batch;
    double squares = 0;
    for (std::size_t i = j; i < rows.size(); i += width) {
      squares += (rows[i] - batch_mean) * (rows[i] - batch_mean);
    }
    const double delta = batch_mean - mean[j];
    mean[j] += delta * batch / total;
    variance[j] = (variance[j] * count + squares + delta * delta * count * batch / total) / total;
  }
  count = total;
}

void NormaliseObservations(const RunningStatistics& statistics, std::span<double> rows) {
  const std::size_t width = statistics.mean.size();
  for (std::size_t j = 0; j < width; ++j) {
    const double deviation = std::sqrt(statistics.variance[j] + kMinVariance);
    for (std::size_t i = j; i < rows.size(); i += width) {
      rows[i] =
          std::clamp((rows[i] - statistics.mean[j]) / deviation, -kMaxDeviations, kMaxDeviations);
    }
  }
}

void RewardNormaliser::Normalise(std::span<double> rewards, const std::vector<bool>& ends) {
  for (std::size_t i = 0; i < rewards.size(); ++i) returns[i] = returns[i] * gamma_ + rewards[i];
  statistics.Update(returns);
  const double deviation = std::sqrt(statistics.variance[0] + kMinVariance);
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    rewards[i] = std::clamp(rewards[i] / deviation, -kMaxDeviations, kMaxDeviations);
    if (ends[i]) returns[i] = 0;
  }
}

}  // namespace hone::learn
