// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/trial_memory.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone::tune {
namespace {

class TrialMemoryTest : public testing::Test {
 protected:
  static Space MakeSpace() {
    Parameter x;
    x.name = "x";
    x.kind = RealRange{0, 1, 0, false};
    x.default_value = 0.5;
    return *Space::Make({x});
  }

  static Trial MakeTrial(std::int64_t number, double x, double reward, double error) {
    Trial trial;
    trial.number = number;
    trial.candidate.assignment["x"] = x;
    trial.reward = {.mean = reward, .standard_error = error, .count = 1};
    return trial;
  }

  const Space space_ = MakeSpace();
  TrialMemory memory_;
};

TEST_F(TrialMemoryTest, WhatIsToldIsNoLongerPending) {
  const Trial trial = MakeTrial(0, 0.1, 1, 0.1);
  memory_.NoteAsked(trial.candidate);
  EXPECT_TRUE(memory_.IsPending(trial.candidate));
  ASSERT_TRUE(memory_.Tell(space_, trial));
  EXPECT_FALSE(memory_.IsPending(trial.candidate));
  EXPECT_TRUE(memory_.WasAsked(trial.candidate));
}

TEST_F(TrialMemoryTest, TrialsOfOneCandidateArePooledByPrecision) {
  ASSERT_TRUE(memory_.Tell(space_, MakeTrial(0, 0.1, 1.0, 0.1)));
  ASSERT_TRUE(memory_.Tell(space_, MakeTrial(1, 0.1, 2.0, 0.2)));
  ASSERT_EQ(memory_.Feasible().size(), 1u);
  const Estimate pooled = memory_.Feasible()[0].reward;
  EXPECT_NEAR(pooled.mean, (1.0 * 4 + 2.0 * 1) / 5, 1e-12);
  EXPECT_NEAR(pooled.standard_error, std::sqrt(0.008), 1e-12);
  EXPECT_EQ(pooled.count, 2);
}

TEST_F(TrialMemoryTest, ExactTrialsArePooledToo) {
  ASSERT_TRUE(memory_.Tell(space_, MakeTrial(0, 0.1, 1.0, 0.0)));
  ASSERT_TRUE(memory_.Tell(space_, MakeTrial(1, 0.1, 3.0, 0.0)));
  ASSERT_TRUE(memory_.Tell(space_, MakeTrial(2, 0.1, 9.0, 0.5)));
  EXPECT_DOUBLE_EQ(memory_.Feasible()[0].reward.mean, 2.0);
  EXPECT_DOUBLE_EQ(memory_.Feasible()[0].reward.standard_error, 0.0);
}

TEST_F(TrialMemoryTest, OneFailureRefusesTheCandidate) {
  ASSERT_TRUE(memory_.Tell(space_, MakeTrial(0, 0.1, 1.0, 0.1)));
  Trial beyond = MakeTrial(1, 0.1, 1.0, 0.1);
  beyond.is_within_limits = false;
  ASSERT_TRUE(memory_.Tell(space_, beyond));
  EXPECT_TRUE(memory_.Feasible().empty());
}

TEST_F(TrialMemoryTest, AKnownNumberReplacesItsTrial) {
  ASSERT_TRUE(memory_.Tell(space_, MakeTrial(0, 0.1, 1.0, 0.1)));
  ASSERT_TRUE(memory_.Tell(space_, MakeTrial(0, 0.1, 0.5, 0.05)));
  ASSERT_EQ(memory_.trials().size(), 1u);
  EXPECT_EQ(memory_.Feasible()[0].reward.mean, 0.5);
}

}  // namespace
}  // namespace hone::tune
