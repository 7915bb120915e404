// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/paired.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/core/check.h"
#include "hone/measure/distributions.h"
#include "hone/measure/signed_rank.h"
#include "hone/measure/walsh.h"

namespace hone {
namespace {

// Sums that differ only by rounding count as equal.
constexpr double kSameSum = 1 - 1e-12;

// The share of all sign patterns whose sum is at least as far from 0 as `observed`.
double FlipAll(std::span<const double> values, double observed) {
  std::vector<double> sums{0};
  for (const double value : values) {
    const std::size_t known = sums.size();
    sums.reserve(2 * known);
    for (std::size_t i = 0; i < known; ++i) {
      sums.push_back(sums[i] - value);
      sums[i] += value;
    }
  }
  const auto extreme = std::count_if(
      sums.begin(), sums.end(), [&](double sum) { return std::abs(sum) >= observed * kSameSum; });
  return static_cast<double>(extreme) / static_cast<double>(sums.size());
}

}  // namespace

PairedTest TestPairs(std::span<const double> log_ratios, double confidence) {
  HONE_CHECK(0 < confidence && confidence < 1);
  const std::vector<double> sorted = Sorted(log_ratios);
  WalshAverages averages(sorted);
  PairedTest result;
  result.count = std::ssize(sorted);
  result.effect = averages.Median();
  result.p_value = TwoSidedP(sorted, 0);
  const std::int64_t depth = SignedRankDepth(result.count, (1 - confidence) / 2);
  if (depth > 0) {
    result.interval = {averages.Kth(depth), averages.Kth(averages.count() + 1 - depth)};
  }
  return result;
}

double OneSidedP(std::span<const double> log_ratios, double bound, Side side) {
  const SignedRankTails tails = TestSignedRanks(log_ratios, bound);
  return side == Side::kAbove ? tails.upper : tails.lower;
}

double TwoSidedP(std::span<const double> log_ratios, double centre) {
  const SignedRankTails tails = TestSignedRanks(log_ratios, centre);
  return std::min(1.0, 2 * std::min(tails.lower, tails.upper));
}

PairedTest TestPairsByT(std::span<const double> log_ratios, double confidence) {
  HONE_CHECK(0 < confidence && confidence < 1);
  PairedTest result;
  result.count = std::ssize(log_ratios);
  result.effect = Mean(log_ratios);
  if (result.count == 1) return result;
  const double error = StandardErrorOfMean(log_ratios);
  const auto degrees = static_cast<double>(result.count - 1);
  const double reach = StudentQuantile((1 + confidence) / 2, degrees) * error;
  result.interval = {result.effect - reach, result.effect + reach};
  if (error > 0) {
    result.p_value = 2 * StudentCdf(-std::abs(result.effect) / error, degrees);
  } else {
    result.p_value = result.effect == 0 ? 1 : 0;
  }
  return result;
}

double SignFlipP(std::span<const double> log_ratios, std::int64_t flips, Rng rng) {
  HONE_CHECK(!log_ratios.empty() && flips > 0);
  double sum = 0;
  for (const double value : log_ratios) sum += value;
  const double observed = std::abs(sum);
  if (log_ratios.size() < 30 && (std::int64_t{1} << log_ratios.size()) <= flips) {
    return FlipAll(log_ratios, observed);
  }
  std::int64_t extreme = 0;
  for (std::int64_t flip = 0; flip < flips; ++flip) {
    double flipped = 0;
    std::uint64_t coins = 0;
    for (std::size_t i = 0; i < log_ratios.size(); ++i) {
      if (i % 64 == 0) coins = rng.Next();
      flipped += (coins & 1) != 0 ? log_ratios[i] : -log_ratios[i];
      coins >>= 1;
    }
    if (std::abs(flipped) >= observed * kSameSum) ++extreme;
  }
  return static_cast<double>(extreme + 1) / static_cast<double>(flips + 1);
}

}  // namespace hone
