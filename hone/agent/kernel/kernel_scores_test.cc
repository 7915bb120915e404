// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/kernel/kernel_scores.h"

#include <gtest/gtest.h>

namespace hone::agent {
namespace {

KernelAttempt ScoredAttempt(std::int64_t round, std::int64_t line, double value, double low) {
  return {.round = round,
          .line = line,
          .source = "int a;",
          .verdict = {.outcome = Outcome::kAccepted, .speedup = Speedup{value, low, value + 1}}};
}

KernelAttempt FailedAttempt(std::int64_t round, std::int64_t line, Outcome outcome) {
  return {.round = round, .line = line, .source = "int a;", .verdict = {.outcome = outcome}};
}

TEST(PassAtKTest, CountsSubsetsWithoutARightOne) {
  EXPECT_DOUBLE_EQ(PassAtK(5, 1, 1), 0.2);
  EXPECT_DOUBLE_EQ(PassAtK(10, 3, 2), 1 - 21.0 / 45.0);
  EXPECT_DOUBLE_EQ(PassAtK(5, 1, 5), 1);
  EXPECT_DOUBLE_EQ(PassAtK(5, 0, 3), 0);
}

TEST(KernelScoresTest, ALuckyEstimateIsNotASureOne) {
  const KernelScores scores =
      ScoresOf({{ScoredAttempt(0, 0, 1.3, 0.9), ScoredAttempt(0, 1, 1.3, 1.1)}}, {1});
  ASSERT_EQ(scores.rounds.size(), 1U);
  EXPECT_DOUBLE_EQ(scores.rounds[0].fast[0].by_estimate, 1);
  EXPECT_DOUBLE_EQ(scores.rounds[0].fast[0].by_lower_bound, 0.5);
}

TEST(KernelScoresTest, ALineKeepsTheBestOfItsRounds) {
  const KernelScores scores = ScoresOf({{FailedAttempt(0, 0, Outcome::kWrong),
                                         ScoredAttempt(1, 0, 3, 2), ScoredAttempt(2, 0, 1, 0.9)}},
                                       {1, 2});
  EXPECT_DOUBLE_EQ(scores.rounds[0].accepted, 0);
  EXPECT_DOUBLE_EQ(scores.rounds[1].fast[1].by_lower_bound, 1);
  EXPECT_DOUBLE_EQ(scores.rounds[2].fast[1].by_lower_bound, 1);
}

TEST(KernelScoresTest, SharesAreOfAllAttempts) {
  KernelAttempt mute = FailedAttempt(0, 3, Outcome::kRejected);
  mute.source.clear();
  const KernelScores scores =
      ScoresOf({{ScoredAttempt(0, 0, 1, 1), FailedAttempt(0, 1, Outcome::kBuildFailed),
                 FailedAttempt(0, 2, Outcome::kWrong), mute}},
               {1});
  EXPECT_DOUBLE_EQ(scores.with_source, 0.75);
  EXPECT_DOUBLE_EQ(scores.built, 0.5);
  EXPECT_DOUBLE_EQ(scores.accepted, 0.25);
  EXPECT_DOUBLE_EQ(scores.pass_at.at(0), 0.25);
  EXPECT_DOUBLE_EQ(scores.pass_at.at(3), 1);
  EXPECT_EQ(ScoresOf({}, {1}).attempts, 0);
}

}  // namespace
}  // namespace hone::agent
