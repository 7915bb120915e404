// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "hone/core/check.h"
#include "hone/measure/distributions.h"
#include "hone/measure/signed_rank.h"
#include "hone/measure/walsh.h"

namespace hone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMadToDeviation = 1.4826;   // 1 / Phi^-1(3/4)
constexpr double kMeanToDeviation = 1.2533;  // sqrt(pi / 2)

double At(std::span<const double> values, std::int64_t index) {
  return values[static_cast<std::size_t>(index)];
}

double MedianOfSorted(std::span<const double> sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * sorted[half - 1] + 0.5 * sorted[half];
}

}  // namespace

bool Interval::IsBounded() const { return std::isfinite(low) && std::isfinite(high); }

std::vector<double> Sorted(std::span<const double> values) {
  HONE_CHECK(!values.empty());
  HONE_CHECK(std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }));
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// A second pass takes back what the first one lost to rounding.
double Mean(std::span<const double> values) {
  HONE_CHECK(!values.empty());
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  double rest = 0;
  for (const double value : values) rest += value - mean;
  return mean + rest / n;
}

double Variance(std::span<const double> values) {
  const double mean = Mean(values);
  if (values.size() == 1) return 0;
  double squares = 0;
  double rest = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
    rest += value - mean;
  }
  const auto n = static_cast<double>(values.size());
  return (squares - rest * rest / n) / (n - 1);
}

double StandardDeviation(std::span<const double> values) { return std::sqrt(Variance(values)); }

double Median(std::span<const double> values) { return MedianOfSorted(Sorted(values)); }

double Quantile(std::span<const double> values, double probability) {
  HONE_CHECK(0 <= probability && probability <= 1);
  const std::vector<double> sorted = Sorted(values);
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

double MedianAbsoluteDeviation(std::span<const double> values) {
  std::vector<double> distances = Sorted(values);
  const double median = MedianOfSorted(distances);
  for (double& value : distances) value = std::abs(value - median);
  return kMadToDeviation * Median(distances);
}

double MeanAbsoluteDeviation(std::span<const double> values) {
  const double median = Median(values);
  double sum = 0;
  for (const double value : values) sum += std::abs(value - median);
  return kMeanToDeviation * sum / static_cast<double>(values.size());
}

double HodgesLehmann(std::span<const double> values) {
  const std::vector<double> sorted = Sorted(values);
  return WalshAverages(sorted).Median();
}

double StandardErrorOfMean(std::span<const double> values) {
  if (values.size() == 1) return kInfinity;
  return std::sqrt(Variance(values) / static_cast<double>(values.size()));
}

double StandardErrorOfMedian(std::span<const double> values) {
  const std::vector<double> sorted = Sorted(values);
  const std::int64_t n = std::ssize(sorted);
  if (n == 1) return kInfinity;
  const auto size = static_cast<double>(n);
  const auto depth = std::max<std::int64_t>(1, std::llround((size + 1) / 2 - std::sqrt(size)));
  const double z = -NormalQuantile(FairCoinCdf(depth - 1, n));
  return (At(sorted, n - depth) - At(sorted, depth - 1)) / (2 * z);
}

double StandardErrorOfHodgesLehmann(std::span<const double> values) {
  const std::vector<double> sorted = Sorted(values);
  const std::int64_t n = std::ssize(sorted);
  if (n == 1) return kInfinity;
  const std::int64_t depth = std::max<std::int64_t>(1, SignedRankDepth(n, NormalCdf(-1)));
  const double z = -NormalQuantile(SignedRankCdf(n, depth - 1));
  WalshAverages averages(sorted);
  return (averages.Kth(averages.count() + 1 - depth) - averages.Kth(depth)) / (2 * z);
}

}  // namespace hone
