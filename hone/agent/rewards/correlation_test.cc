// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/correlation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/core/rng.h"

namespace hone::agent {
namespace {

using testing::ElementsAre;

// Anscombe's first set: its correlation is published as 0.816.
const std::vector<double> kX = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
const std::vector<double> kY = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};

TEST(CorrelationTest, PearsonIsThePublishedNumber) {
  const auto found = PearsonCorrelation(kX, kY, 1);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->value, 0.81642, 1e-5);
  // Fisher's interval by hand: tanh(atanh(0.81642) -+ 1.96 / sqrt(8)).
  EXPECT_NEAR(found->fisher_low, 0.4243, 1e-3);
  EXPECT_NEAR(found->fisher_high, 0.9507, 1e-3);
}

TEST(CorrelationTest, SpearmanIsThatOfTheRanks) {
  EXPECT_NEAR(SpearmanCorrelation(kX, kY, 1)->value, 0.81818, 1e-5);
  const std::vector<double> x = {1, 2, 3, 4, 5};
  EXPECT_DOUBLE_EQ(SpearmanCorrelation(x, {1, 8, 27, 64, 125}, 1)->value, 1);
  EXPECT_DOUBLE_EQ(SpearmanCorrelation(x, {5, 4, 3, 2, 1}, 1)->value, -1);
}

TEST(CorrelationTest, TiesShareTheirRanks) {
  EXPECT_THAT(RanksOf({3, 1, 3, 2}), ElementsAre(3.5, 1, 3.5, 2));
}

TEST(CorrelationTest, NothingCanBeSaidOfAConstant) {
  EXPECT_FALSE(PearsonCorrelation({1, 1, 1, 1}, {1, 2, 3, 4}, 1));
  EXPECT_FALSE(PearsonCorrelation({1, 2, 3}, {1, 2, 3}, 1));
}

TEST(CorrelationTest, ASeedGivesTheSameInterval) {
  const auto first = PearsonCorrelation(kX, kY, 7);
  const auto second = PearsonCorrelation(kX, kY, 7);
  EXPECT_EQ(first->bootstrap_low, second->bootstrap_low);
  EXPECT_LT(first->bootstrap_low, first->value);
  EXPECT_GT(first->bootstrap_high, first->value);
}

// The truth is 0: the interval must hold it about as often as it says.
TEST(CorrelationTest, IntervalsHoldTheTruthAsOftenAsTheySay) {
  int fisher = 0;
  int above = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Rng rng(trial);
    std::vector<double> x(25);
    std::vector<double> y(25);
    for (double& value : x) value = rng.Normal();
    for (double& value : y) value = rng.Normal();
    const auto found = SpearmanCorrelation(x, y, trial);
    if (found->fisher_low <= 0 && found->fisher_high >= 0) ++fisher;
    if (found->LowerBound() > 0) ++above;
  }
  EXPECT_GE(fisher, 180);  // 190 are expected, and 7 less is two standard deviations.
  EXPECT_LE(above, 12);    // At most 5 are expected.
}

}  // namespace
}  // namespace hone::agent
