// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hone/measure/statistics.h"

// Tests that may be looked at after every value, and stopped at any time for any reason.
namespace hone {

// A confidence sequence for the centre of symmetric noise, exactly valid at every sample size: the
// chance that Current() ever leaves the centre out is at most alpha.
//
// For a value x whose distribution is symmetric about m, given the values before it, and any number
// b fixed before x is seen, E[1 + tanh(b (x - m))] = 1. So the product of these factors is a
// wealth that cannot be expected to grow while m is the truth (a test martingale; it dominates the
// exp(b S - b^2 V / 2) of de la Pena, 1999), and so is a mixture of such products. By Ville's
// inequality it exceeds 1 / alpha with probability at most alpha, over all time. The bets b are
// multiples, from timid to bold, of the inverse of the spread seen so far. With b > 0 the wealth
// falls as m grows, so the bounds are found by bisection, without approximation.
//
// Paired log-ratios are symmetric under "no difference" whatever the noise, if the order of the two
// runs is random: the labels could have been swapped.
class ConfidenceSequence {
 public:
  // `expected_spread` is a guess at the standard deviation, made before the data (from an A/A run);
  // 0 for none, and then the first three values are only looked at. A bad guess costs pairs (a few,
  // if it is off by less than five times), never validity.
  explicit ConfidenceSequence(double alpha, double expected_spread = 0);

  void Add(double x);
  std::int64_t Count() const;

  // Infinite ends while the values are too few. Takes some microseconds a value.
  Interval Current() const;

  // Evidence that the centre lies above `mean`, against all centres at or below it. It starts
  // at 1; 1 / alpha or more rejects them at level alpha, whenever it is reached: "reject as worse"
  // is EValueBelow(0) >= 1 / alpha. Cheaper than Current.
  double EValueAbove(double mean) const;
  double EValueBelow(double mean) const;

 private:
  double alpha_;
  double expected_spread_;
  std::vector<double> values_;
  std::vector<double> spreads_;  // What was known before each value; 0: it was not bet on.
};

}  // namespace hone
