// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/paired.h"

#include <algorithm>
#include <vector>

#include "hone/core/check.h"
#include "hone/measure/signed_rank.h"
#include "hone/measure/walsh.h"

namespace hone {

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

}  // namespace hone
