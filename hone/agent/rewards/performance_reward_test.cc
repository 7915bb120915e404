// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/performance_reward.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone::agent {
namespace {

TEST(PerformanceRewardTest, EachRuleReadsItsEnd) {
  const MeasuredLogRatio gain{0.05, 0.03, 0.07, 24};
  EXPECT_DOUBLE_EQ(*PerformanceReward(gain, PerformanceRule::kEstimate), 0.05);
  EXPECT_DOUBLE_EQ(*PerformanceReward(gain, PerformanceRule::kLowerBound), 0.03);
  EXPECT_DOUBLE_EQ(*PerformanceReward(gain, PerformanceRule::kShown), 0.03);
  const MeasuredLogRatio loss{-0.05, -0.07, -0.03, 24};
  EXPECT_DOUBLE_EQ(*PerformanceReward(loss, PerformanceRule::kLowerBound), -0.07);
  EXPECT_DOUBLE_EQ(*PerformanceReward(loss, PerformanceRule::kShown), -0.03);
  const MeasuredLogRatio noise{0.02, -0.03, 0.07, 12};
  EXPECT_DOUBLE_EQ(*PerformanceReward(noise, PerformanceRule::kShown), 0);
}

TEST(PerformanceRewardTest, WhatIsNotBoundedIsNotRewarded) {
  const MeasuredLogRatio lucky{0.3, -INFINITY, INFINITY, 1};
  EXPECT_DOUBLE_EQ(*PerformanceReward(lucky, PerformanceRule::kEstimate), 0.3);
  EXPECT_EQ(PerformanceReward(lucky, PerformanceRule::kLowerBound).error().code,
            Errc::kUnsupported);
  EXPECT_EQ(PerformanceReward(lucky, PerformanceRule::kShown).error().code, Errc::kUnsupported);
}

TEST(PerformanceRewardTest, NumbersThatCannotBeAreErrors) {
  EXPECT_FALSE(PerformanceReward({NAN, 0, 1, 3}, PerformanceRule::kEstimate));
  EXPECT_FALSE(PerformanceReward({0.5, 0.6, 0.7, 3}, PerformanceRule::kEstimate));
}

TEST(PerformanceRewardTest, RulesHaveNames) {
  for (const char* name : {"estimate", "lower_bound", "shown"}) {
    EXPECT_EQ(NameOf(*PerformanceRuleNamed(name)), name);
  }
  EXPECT_FALSE(PerformanceRuleNamed("best"));
}

}  // namespace
}  // namespace hone::agent
