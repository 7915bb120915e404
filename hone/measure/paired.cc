// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/paired.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/core/check.h"
#include "hone/measure/drift.h"
#include "hone/measure/signed_rank.h"
#include "hone/measure/walsh.h"

namespace hone {
namespace {

constexpr double kMaxDependence = 0.8;

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

PairedTest TestDependentPairs(std::span<const double> log_ratios, double confidence) {
  PairedTest test = TestPairs(log_ratios, confidence);
  const double lag = std::clamp(Lag1Autocorrelation(log_ratios), 0.0, kMaxDependence);
  const double factor = std::sqrt((1 + lag) / (1 - lag));
  test.interval.low = test.effect - factor * (test.effect - test.interval.low);
  test.interval.high = test.effect + factor * (test.interval.high - test.effect);
  return test;
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
