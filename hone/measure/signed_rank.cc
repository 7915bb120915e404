// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/signed_rank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <vector>

#include "hone/core/check.h"
#include "hone/measure/distributions.h"

namespace hone {
namespace {

// With ties every sample has a distribution of its own, which is not kept.
constexpr std::size_t kMaxExactWithTies = 100;

double Sum(std::int64_t n) { return static_cast<double>(n) * static_cast<double>(n + 1) / 2; }

// P(T <= s) where each weight is in the sum or not with probability 1/2, for s up to `max`.
std::vector<double> CumulateSubsetSums(std::span<const std::int64_t> weights, std::int64_t max) {
  std::vector<double> chance(static_cast<std::size_t>(max) + 1, 0.0);
  chance[0] = 1;
  std::size_t reach = 0;  // The largest sum that has a chance so far.
  for (const std::int64_t weight : weights) {
    const auto step = static_cast<std::size_t>(weight);
    reach = std::min(reach + step, chance.size() - 1);
    for (std::size_t s = reach + 1; s-- > step;) {
      chance[s] = 0.5 * (chance[s] + chance[s - step]);
    }
    for (std::size_t s = 0; s < std::min(step, reach + 1); ++s) chance[s] *= 0.5;
  }
  for (std::size_t s = 1; s < chance.size(); ++s) chance[s] += chance[s - 1];
  return chance;
}

// The lower half for n values without ties; the rest follows by symmetry.
const std::vector<double>& ExactCdf(std::int64_t n) {
  struct Entry {
    std::once_flag once;
    std::vector<double> cdf;
  };
  static std::array<Entry, kMaxExactPairs + 1> entries;
  Entry& entry = entries[static_cast<std::size_t>(n)];
  std::call_once(entry.once, [&] {
    std::vector<std::int64_t> ranks;
    for (std::int64_t rank = 1; rank <= n; ++rank) ranks.push_back(rank);
    entry.cdf = CumulateSubsetSums(ranks, n * (n + 1) / 4);
  });
  return entry.cdf;
}

double SignedRankDeviation(std::int64_t n) {
  return std::sqrt(Sum(n) * static_cast<double>(2 * n + 1) / 12);
}

// Ranks times two, so that the means of tied ranks are whole numbers. Zeros have been left out.
struct DoubledRanks {
  std::vector<std::int64_t> ranks;
  std::int64_t positive = 0;  // The sum over the positive values.
  bool is_plain = true;       // Without ties and zeros.
};

DoubledRanks RankSigns(std::span<const double> values, double centre) {
  std::vector<double> shifted;
  shifted.reserve(values.size());
  for (const double value : values) {
    HONE_CHECK(std::isfinite(value));
    shifted.push_back(value - centre);
  }
  std::sort(shifted.begin(), shifted.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  DoubledRanks result;
  result.ranks.reserve(shifted.size());
  for (std::size_t begin = 0, end = 0; begin < shifted.size(); begin = end) {
    const double magnitude = std::abs(shifted[begin]);
    while (end < shifted.size() && std::abs(shifted[end]) == magnitude) ++end;
    if (magnitude == 0 || end - begin > 1) result.is_plain = false;
    if (magnitude == 0) continue;
    const auto doubled = static_cast<std::int64_t>(begin + 1 + end);
    for (std::size_t i = begin; i < end; ++i) {
      result.ranks.push_back(doubled);
      if (shifted[i] > 0) result.positive += doubled;
    }
  }
  return result;
}

SignedRankTails ExactTails(const DoubledRanks& signs, std::int64_t total) {
  const std::vector<double> cdf =
      CumulateSubsetSums(signs.ranks, std::max(signs.positive, total - signs.positive));
  return {cdf[static_cast<std::size_t>(signs.positive)],
          cdf[static_cast<std::size_t>(total - signs.positive)]};
}

SignedRankTails NormalTails(const DoubledRanks& signs, std::int64_t total) {
  double squares = 0;
  for (const std::int64_t rank : signs.ranks) {
    squares += static_cast<double>(rank) * static_cast<double>(rank);
  }
  const double deviation = std::sqrt(squares) / 2;
  const double distance = static_cast<double>(signs.positive) - static_cast<double>(total) / 2;
  return {NormalCdf((distance + 1) / deviation), NormalCdf((1 - distance) / deviation)};
}

}  // namespace

double SignedRankCdf(std::int64_t n, std::int64_t sum) {
  HONE_CHECK(n > 0);
  const std::int64_t total = n * (n + 1) / 2;
  if (sum < 0) return 0;
  if (sum >= total) return 1;
  if (n > kMaxExactPairs) {
    const double distance = static_cast<double>(sum) + 0.5 - Sum(n) / 2;
    return NormalCdf(distance / SignedRankDeviation(n));
  }
  const std::vector<double>& lower = ExactCdf(n);
  if (sum < std::ssize(lower)) return lower[static_cast<std::size_t>(sum)];
  return 1 - lower[static_cast<std::size_t>(total - sum - 1)];
}

std::int64_t SignedRankDepth(std::int64_t n, double tail) {
  HONE_CHECK(n > 0 && tail > 0 && tail < 0.5);
  if (n > kMaxExactPairs) {
    const double sum = Sum(n) / 2 - 0.5 + NormalQuantile(tail) * SignedRankDeviation(n);
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(sum)) + 1);
  }
  const std::vector<double>& lower = ExactCdf(n);
  return std::upper_bound(lower.begin(), lower.end(), tail) - lower.begin();
}

SignedRankTails TestSignedRanks(std::span<const double> values, double centre) {
  HONE_CHECK(!values.empty());
  const DoubledRanks signs = RankSigns(values, centre);
  if (signs.is_plain) {
    const std::int64_t n = std::ssize(values);
    const std::int64_t sum = signs.positive / 2;
    return {SignedRankCdf(n, sum), SignedRankCdf(n, n * (n + 1) / 2 - sum)};
  }
  if (signs.ranks.empty()) return {};
  std::int64_t total = 0;
  for (const std::int64_t rank : signs.ranks) total += rank;
  return signs.ranks.size() <= kMaxExactWithTies ? ExactTails(signs, total)
                                                 : NormalTails(signs, total);
}

}  // namespace hone
