// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign_power.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone::tune {
namespace {

constexpr CampaignSize kUsual{.trials = 40, .parameters = 8, .noise = 0.05};

TEST(CampaignPowerTest, ALargerOptimumIsFoundMoreOften) {
  FindChance last;
  for (const double gain : {0.005, 0.02, 0.05, 0.1, 0.3}) {
    const auto chance = ChanceToFind(kUsual, gain);
    ASSERT_TRUE(chance);
    EXPECT_LE(chance->low, chance->high);
    EXPECT_GE(chance->low, last.low);
    EXPECT_GE(chance->high, last.high);
    EXPECT_LE(chance->high, 1);
    last = *chance;
  }
  EXPECT_GT(last.high, 0.9);
}

TEST(CampaignPowerTest, OnlyTheRatioToTheNoiseCounts) {
  CampaignSize noisier = kUsual;
  noisier.noise *= 3;
  EXPECT_NEAR(ChanceToFind(kUsual, 0.05)->high, ChanceToFind(noisier, 0.15)->high, 1e-12);
  EXPECT_NEAR(3 * OptimumFound(kUsual)->kindest, OptimumFound(noisier)->kindest, 1e-12);
}

TEST(CampaignPowerTest, TheOptimumThatIsNamedIsFoundInFourOfFive) {
  const auto found = OptimumFound(kUsual);
  ASSERT_TRUE(found);
  EXPECT_NEAR(ChanceToFind(kUsual, found->kindest)->high, 0.8, 0.01);
  if (found->worst) {
    EXPECT_GE(*found->worst, found->kindest);
    EXPECT_NEAR(ChanceToFind(kUsual, *found->worst)->low, 0.8, 0.01);
  }
}

TEST(CampaignPowerTest, BetweenTwoSizesTheChanceLiesBetweenTheirs) {
  const auto at = [](std::int64_t trials, std::int64_t parameters) {
    return ChanceToFind({trials, parameters, 0.05}, 0.05)->high;
  };
  const double middle = at(24, 3);
  EXPECT_GE(middle, std::min(at(15, 3), at(40, 3)));
  EXPECT_LE(middle, std::max(at(15, 3), at(40, 3)));
  EXPECT_EQ(at(400, 2), at(40, 3)) << "more candidates and fewer parameters are taken as the next";
}

TEST(CampaignPowerTest, NothingIsSaidOfWhatWasNotSimulated) {
  EXPECT_FALSE(OptimumFound({.trials = 14, .parameters = 8, .noise = 0.05}));
  EXPECT_FALSE(OptimumFound({.trials = 40, .parameters = 21, .noise = 0.05}));
  EXPECT_FALSE(OptimumFound({.trials = 40, .parameters = 8, .noise = 0}));
  EXPECT_FALSE(ChanceToFind(kUsual, 0));
}

}  // namespace
}  // namespace hone::tune
