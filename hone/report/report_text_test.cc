// SPDX-License-Identifier: Apache-2.0
#include "hone/report/report_text.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>

namespace hone::report {
namespace {

TEST(ReportTextTest, NumbersReadWell) {
  EXPECT_EQ(SignedPercentText(10.24), "+10.2\u00A0%");
  EXPECT_EQ(SignedPercentText(-0.314), "−0.31\u00A0%");
  EXPECT_EQ(SignedPercentText(0.001), "±0.00\u00A0%");
  EXPECT_EQ(SignedPercentText(std::numeric_limits<double>::infinity()), "+∞");
  EXPECT_EQ(PValueText(0.00001), "p < 0.0001");
  EXPECT_EQ(PValueText(0.0123), "p = 0.012");
  EXPECT_EQ(PValueText(1), "p = 1.00");
  EXPECT_EQ(NumberText(1012.34), "1012");
  EXPECT_EQ(NumberText(0.98765), "0.9877");
  EXPECT_EQ(DurationText(std::chrono::microseconds(1500)), "1.5 ms");
  EXPECT_EQ(DurationText(std::chrono::seconds(250)), "4 min 10 s");
  EXPECT_EQ(CountText(1, "pair"), "1 pair");
  EXPECT_EQ(CountText(12, "pair"), "12 pairs");
}

TEST(ReportTextTest, PercentFollowsTheFormulaOfTheReward) {
  RewardRule rule;
  EXPECT_NEAR(RewardPercent(rule, std::log(1.1)), 10, 1e-9);
  rule.formula = RewardRule::Formula::kPerformanceAndStability;
  EXPECT_NEAR(RewardPercent(rule, 0.1), 10, 1e-9);
}

}  // namespace
}  // namespace hone::report
