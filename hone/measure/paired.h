// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "hone/measure/statistics.h"

// Tests for paired log-ratios: each value compares two runs that were made side by side, so what
// slowed down both has cancelled. The values must be finite, and there must be at least one.
namespace hone {

struct PairedTest {
  double effect = 0;  // The centre of the log-ratios; 0.095 is a gain of 10 %.
  Interval interval;
  double p_value = 1;  // Two-sided, of the hypothesis that the centre is 0.
  std::int64_t count = 0;
};

// Where the alternative hypothesis puts the centre.
enum class Side { kAbove, kBelow };

// Wilcoxon's signed-rank test, which asks only that the noise be symmetric, with the
// Hodges-Lehmann pseudo-median as the effect and the interval that inverts the test (Hollander and
// Wolfe, chapter 3). The null distribution is exact up to kMaxExactPairs (signed_rank.h) and
// normal with a continuity correction above.
//
// Ties take the mean of their ranks; zeros are ranked and then left out (Pratt, 1959); both times
// the p-value is taken from the exact distribution over the signs, given the magnitudes. With ties
// the interval may be wider than needed, never narrower.
//
// Too few pairs for the confidence asked (fewer than 6 at 95 %) give an interval that is infinite
// on both sides. Takes a few microseconds at 30 pairs; safe for concurrent use.
PairedTest TestPairs(std::span<const double> log_ratios, double confidence = 0.95);

// The same for pairs in the order in which they were made. Where the machine changes slowly those
// that follow each other are alike, and say less than as many independent ones: the interval is
// wider, by what their correlation (at lag 1) makes of a mean. The p-value is not changed.
PairedTest TestDependentPairs(std::span<const double> log_ratios, double confidence = 0.95);

// The same test against one side: the chance of data this far on `side` of `bound` if the centre
// were `bound`. "Is it worse than a loss of 2 %?" is OneSidedP(x, -0.02, Side::kBelow).
double OneSidedP(std::span<const double> log_ratios, double bound, Side side);

// The two-sided p-value of the hypothesis that the centre is `centre`.
double TwoSidedP(std::span<const double> log_ratios, double centre);

}  // namespace hone
