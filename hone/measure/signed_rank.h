// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

// Wilcoxon's signed-rank statistic: the ranks of the magnitudes, summed over the positive values.
// Safe for concurrent use; exact distributions are computed once for each n and kept.
namespace hone {

// Up to this many pairs the null distribution is exact; above it is normal.
inline constexpr std::int64_t kMaxExactPairs = 300;

// The chance of a sum of `sum` or less among n values without ties, if signs are fair coins.
double SignedRankCdf(std::int64_t n, std::int64_t sum);

// The largest k for which the k-th smallest and the k-th largest Walsh average each miss the centre
// with a chance of at most `tail`; 0 if there is none.
std::int64_t SignedRankDepth(std::int64_t n, double tail);

// The chances of sums as small, and as large, as that of values - centre, both including it.
struct SignedRankTails {
  double lower = 1;
  double upper = 1;
};
SignedRankTails TestSignedRanks(std::span<const double> values, double centre);

}  // namespace hone
