// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/dr_kernel_rewards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace hone::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Evaluation Judged(Outcome outcome, double speedup = 0, double coverage = -1) {
  Evaluation evaluation;
  evaluation.task = "t";
  evaluation.outcome = outcome;
  if (speedup != 0) evaluation.metrics.push_back({"speedup", "1", speedup, 0.05, 3});
  if (coverage != -1) evaluation.metrics.push_back({"coverage", "1", coverage, 0, 1});
  return evaluation;
}

TEST(DrKernelRewardsTest, FactsAreReadFromAnEvaluation) {
  const auto facts = KernelFactsOf(Judged(Outcome::kAccepted, 2, 0.5));
  ASSERT_TRUE(facts);
  EXPECT_EQ(*facts, (KernelFacts{true, true, false, 2.0, 1.9, 0.5}));
  EXPECT_FALSE(KernelFactsOf(Judged(Outcome::kAccepted, 2))->coverage);
  EXPECT_TRUE(KernelFactsOf(Judged(Outcome::kCheated, 9))->is_decoy);
  EXPECT_FALSE(KernelFactsOf(Judged(Outcome::kBuildFailed))->is_compiled);
  EXPECT_EQ(KernelFactsOf(Judged(Outcome::kRejected)).error().code, Errc::kInvalidArgument);
  EXPECT_EQ(KernelFactsOf(Judged(Outcome::kAccepted, NAN)).error().code, Errc::kCorrupt);
  EXPECT_EQ(KernelFactsOf(Judged(Outcome::kAccepted, 1, 1.5)).error().code, Errc::kCorrupt);
}

TEST(DrKernelRewardsTest, AFailureOfTheServiceIsNoReward) {
  const Settlement dropped{Settlement::Drop{Dropped::kAbandoned, "the worker died"}};
  const auto facts = KernelFactsOf(dropped);
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, Errc::kUnavailable);
  EXPECT_THAT(facts.error().message, HasSubstr("the worker died"));
  EXPECT_TRUE(KernelFactsOf(Settlement{Judged(Outcome::kWrong)}));
}

TEST(DrKernelRewardsTest, PrAddsCorrectnessSpeedAndCoverage) {
  EXPECT_DOUBLE_EQ(*PrReward({true, true, false, 2.0, 1.9, 0.5}), 0.5 + 1 + 0.25);
  EXPECT_DOUBLE_EQ(*PrReward({true, true, false, 9.0, 8.0, 1.0}), 2.5);
  EXPECT_DOUBLE_EQ(*PrReward({true, true, false, 0.5, 0.4, 1.0}, {.min_speedup = 1}), 1.0);
  EXPECT_DOUBLE_EQ(*PrReward({true, true, false, 2.0, 1.9, 0.0}, {.uses_lower_bound = true}), 1.45);
  EXPECT_DOUBLE_EQ(*PrReward({true, false, true, 9.0, 8.0, 1.0}), 0);
  EXPECT_DOUBLE_EQ(*PrReward({true, false, false, {}, {}, {}}), 0);
}

TEST(DrKernelRewardsTest, ACoverageThatIsMissingIsNotZero) {
  const KernelFacts unprofiled{true, true, false, 2.0, 1.9, std::nullopt};
  EXPECT_EQ(PrReward(unprofiled).error().code, Errc::kUnsupported);
  EXPECT_EQ(PrsKeepProbability(unprofiled).error().code, Errc::kUnsupported);
  EXPECT_DOUBLE_EQ(*PrReward(unprofiled, {.coverage = 0}), 1.5);
  EXPECT_FALSE(PrReward({true, true, false, {}, {}, 1.0}));
}

TEST(DrKernelRewardsTest, TheLadderHasItsSteps) {
  const auto at = [](double speedup) {
    return *LadderReward({true, true, false, speedup, speedup, {}});
  };
  EXPECT_DOUBLE_EQ(at(0.99), -0.1);
  EXPECT_DOUBLE_EQ(at(1), 0.2);
  EXPECT_DOUBLE_EQ(at(1.2), 0.4);
  EXPECT_DOUBLE_EQ(at(1.5), 0.6);
  EXPECT_DOUBLE_EQ(at(2.9), 0.8);
  EXPECT_DOUBLE_EQ(at(3), 1);
  EXPECT_DOUBLE_EQ(*LadderReward({}), -0.5);
  EXPECT_DOUBLE_EQ(*LadderReward({true, false, false, {}, {}, {}}), -0.3);
  EXPECT_DOUBLE_EQ(*LadderReward({true, false, true, {}, {}, {}}), -1);
  EXPECT_DOUBLE_EQ(*WeightedReward({true, true, false, 1.0, 1.0, {}}), 0.5);
  EXPECT_DOUBLE_EQ(*WeightedReward({true, true, false, 1.01, 1.0, {}}), 1);
}

TEST(DrKernelRewardsTest, PrsKeepsWhatIsCovered) {
  const auto at = [](double coverage) {
    return *PrsKeepProbability({true, true, false, 1.0, 1.0, coverage});
  };
  EXPECT_DOUBLE_EQ(at(0.2), 0);
  EXPECT_NEAR(at(0.35), 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(at(0.9), 1);
  EXPECT_DOUBLE_EQ(*PrsKeepProbability({true, false, false, {}, {}, {}}), 1);
}

TEST(DrKernelRewardsTest, ATurnThatFallsBackIsDropped) {
  EXPECT_THAT(TurnLossMask({0, 0, 1, 0, 2}), ElementsAre(true, true, true, false, true));
  EXPECT_THAT(TurnLossMask({}), ElementsAre());
}

TEST(DrKernelRewardsTest, ReturnsLookAhead) {
  EXPECT_THAT(ReturnsOf({1, 2, 3}), ElementsAre(6, 5, 3));
  EXPECT_THAT(ReturnsOf({1, 2, 4}, 0.5), ElementsAre(3, 4, 4));
}

TEST(DrKernelRewardsTest, TrlooComparesWithTheOthersOfATurn) {
  // Of a, turn 0: 1, 2, 6 with the other means 4, 3.5 and 1.5; one more is not counted.
  const std::vector<TurnReturn> turns = {{"a", 0, 1, true},  {"a", 0, 2, true}, {"a", 0, 6, true},
                                         {"a", 0, 9, false}, {"a", 1, 5, true}, {"b", 0, 7, true}};
  EXPECT_THAT(TrlooAdvantages(turns), ElementsAre(-3, -1.5, 4.5, 0, 5, 7));
}

TEST(DrKernelRewardsTest, MrsDropsWhatTheSamplerDidNotSample) {
  const TurnTokens equal{{-1, -2}, {-1, -2}};
  EXPECT_THAT(*MrsKeep({equal, equal}), ElementsAre(true, true));
  // The mean over both turns is 0.0015: more than the upper end allows.
  EXPECT_THAT(*MrsKeep({equal, {{-1, -2}, {-1.003, -2.003}}}), ElementsAre(false, false));
  // One token is vetoed, another one makes up for it.
  EXPECT_THAT(*MrsKeep({equal, {{-11, -1}, {-1, -11}}}), ElementsAre(true, false));
  EXPECT_FALSE(MrsKeep({{{-1}, {}}}));
  EXPECT_FALSE(MrsKeep({{{NAN}, {-1}}}));
  EXPECT_FALSE(MrsKeep({}));
}

TEST(DrKernelRewardsTest, AGroupOfEqualsTeachesNothing) {
  EXPECT_FALSE(IsGroupKept({1, 1, 1}));
  EXPECT_FALSE(IsGroupKept({1}));
  EXPECT_TRUE(IsGroupKept({1, 1, 1.1}));
}

}  // namespace
}  // namespace hone::agent
