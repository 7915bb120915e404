// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/measured_trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/tune/campaign/history_for_test.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;

TEST(MeasuredTrialsTest, WhatWasMeasuredComesWithItsChange) {
  tune::HistoryBuilder builder;
  builder.AddTrial(0, 0.1);
  builder.AddFailedTrial(1, Outcome::kCrashed, "x");
  builder.AddTrial(2, -0.1);
  const auto measured = MeasuredConfigurationsOf(builder.history());
  ASSERT_EQ(measured.size(), 2U);
  EXPECT_THAT(measured[0].change, HasSubstr("threads 1 -> "));
  EXPECT_NEAR(measured[0].effect.log_ratio, 0.1, 0.05);
  EXPECT_LT(measured[0].effect.low, measured[0].effect.log_ratio);
  EXPECT_LT(measured[1].effect.log_ratio, 0);
}

TEST(MeasuredTrialsTest, WithoutASpreadNothingWasMeasured) {
  tune::TrialHistory trial;
  EXPECT_FALSE(EffectOf(trial));
  trial.reward = Estimate{0.1, 0.02, 1};
  EXPECT_FALSE(EffectOf(trial));
  trial.reward = Estimate{0.1, 0.02, 4};
  ASSERT_TRUE(EffectOf(trial));
  EXPECT_NEAR(EffectOf(trial)->low, 0.1 - 0.0392, 1e-4);
  trial.outcome = Outcome::kWrong;
  EXPECT_FALSE(EffectOf(trial));
}

}  // namespace
}  // namespace hone::agent
