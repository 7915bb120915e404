// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/twins.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

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
  EXPECT_GT(within, 0.94 * kRounds);
  EXPECT_LT(within, 0.98 * kRounds);
}

// As where one process in twenty takes a cycle more in every run of its inner loop.
TEST(TwinsTest, SoItIsWhereMostPairsAreEqualAndSomeFarApart) {
  Rng rng(2);
  const auto differ = [&] {
    const double apart = rng.Below(10) == 0 ? (rng.Coin() ? 0.022 : -0.022) : 0;
    return apart + 0.003 * rng.Normal();
  };
  int within = 0;
  constexpr int kRounds = 2000;
  for (int i = 0; i < kRounds; ++i) {
    Twins twins;
    for (int k = 0; k < 24; ++k) twins.Keep(differ());
    within += std::abs(differ()) < twins.Reach() ? 1 : 0;
  }
  EXPECT_GT(within, 0.95 * kRounds);
}

TEST(TwinsTest, WhatTheMachineWasLongAgoIsForgotten) {
  Twins twins;
  for (int i = 0; i < 24; ++i) twins.Keep(0.1);
  for (int i = 0; i < 24; ++i) twins.Keep(0);
  EXPECT_EQ(twins.Reach(), 0);
}

// How many are made in so many evaluations, of at most `max` in each.
std::vector<int> MadeIn(int evaluations, int max) {
  Twins twins;
  std::vector<int> made;
  for (int i = 0; i < evaluations; ++i) {
    made.push_back(twins.Due(max));
    for (int k = 0; k < made.back(); ++k) twins.Keep(0);
  }
  return made;
}

TEST(TwinsTest, TheFirstEvaluationComparesSeveralThenEveryThirdOneAndThenEveryEighthOne) {
  const std::vector<int> made = MadeIn(200, 100);
  EXPECT_EQ(made.front(), 12);
  constexpr std::ptrdiff_t kUntilEnough = 37;  // The first, and twelve times three.
  const auto enough = made.begin() + kUntilEnough;
  EXPECT_EQ(std::accumulate(made.begin(), enough, 0), 24);
  EXPECT_EQ(std::accumulate(enough, enough + 80, 0), 10);
}

TEST(TwinsTest, WhereTheyAreDearTheFirstEvaluationsMakeOneEachAndThenEveryEighthOne) {
  const std::vector<int> made = MadeIn(9, 1);
  EXPECT_EQ(made, (std::vector<int>{1, 1, 1, 1, 1, 1, 0, 0, 1}));
}

TEST(TwinsTest, WhatCouldNotBeMadeStaysDue) {
  Twins twins;
  EXPECT_EQ(twins.Due(1), 1);
  EXPECT_EQ(twins.Due(1), 1);
}

}  // namespace
}  // namespace hone::compute
