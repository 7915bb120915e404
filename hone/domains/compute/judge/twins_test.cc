// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/twins.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hone/core/rng.h"

namespace hone::compute {
namespace {

TEST(TwinsTest, WithoutAComparisonNothingIsKnown) { EXPECT_EQ(Twins().Reach(), 0); }

TEST(TwinsTest, NineteenOfTwentyComparisonsLieWithinTheReachOfThoseBefore) {
  Rng rng(1);
  int within = 0;
  constexpr int kRounds = 2000;
  for (int i = 0; i < kRounds; ++i) {
    Twins twins;
    for (int k = 0; k < 6; ++k) twins.Keep(0.02 * rng.Normal());
    within += std::abs(0.02 * rng.Normal()) < twins.Reach() ? 1 : 0;
  }
  EXPECT_NEAR(within, 0.95 * kRounds, 0.02 * kRounds);
}

TEST(TwinsTest, WhatTheMachineWasLongAgoIsForgotten) {
  Twins twins;
  for (int i = 0; i < 12; ++i) twins.Keep(0.1);
  for (int i = 0; i < 12; ++i) twins.Keep(0);
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
