// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/twins.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hone/core/rng.h"

namespace hone::compute {
namespace {

// Processes that differ by `processes`, each comparison known to `pairs`.
double ReachOf(double processes, double pairs, int comparisons, Rng& rng) {
  Twins twins;
  for (int i = 0; i < comparisons; ++i) {
    twins.Keep({processes * rng.Normal() + pairs * rng.Normal(), pairs * pairs});
  }
  return twins.Reach();
}

TEST(TwinsTest, WithoutAComparisonNothingIsKnown) { EXPECT_EQ(Twins().Reach(), 0); }

TEST(TwinsTest, WhatProcessesDifferByIsFoundUnderTheNoiseOfThePairs) {
  Rng rng(1);
  double square = 0;
  for (int i = 0; i < 500; ++i) {
    const double reach = ReachOf(0.02, 0.01, 12, rng);
    square += reach * reach / 500;
  }
  EXPECT_NEAR(std::sqrt(square), 1.96 * 0.02, 0.002);
}

TEST(TwinsTest, EqualProcessesWidenNothingByMoreThanTheNoise) {
  Rng rng(2);
  for (int i = 0; i < 500; ++i) EXPECT_LT(ReachOf(0, 0.005, 12, rng), 2 * 1.96 * 0.005);
}

TEST(TwinsTest, WhatTheMachineWasLongAgoIsForgotten) {
  Twins twins;
  for (int i = 0; i < 12; ++i) twins.Keep({0.1, 0});
  for (int i = 0; i < 12; ++i) twins.Keep({0, 0});
  EXPECT_EQ(twins.Reach(), 0);
}

TEST(TwinsTest, TheFirstEvaluationComparesSeveralAndThenEveryEighthOne) {
  Twins twins;
  EXPECT_GT(twins.Due(), 3);
  int due = 0;
  for (int i = 1; i <= 80; ++i) due += twins.Due();
  EXPECT_EQ(due, 10);
}

}  // namespace
}  // namespace hone::compute
