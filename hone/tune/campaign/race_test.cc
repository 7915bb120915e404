// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/race.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace hone::tune {
namespace {

RaceStep Judge(const std::vector<double>& rewards, double mean, double best, double noise) {
  const auto count = static_cast<std::int64_t>(rewards.size());
  const Estimate estimate{mean, noise / std::sqrt(static_cast<double>(count)), count};
  return JudgeRace(RaceSettings{}, rewards, estimate, best, noise);
}

TEST(RaceTest, PromisingCandidateGetsMorePairs) {
  EXPECT_EQ(Judge({0.06, 0.05}, 0.055, 0.02, 0.03), RaceStep::kMore);
}

TEST(RaceTest, CandidateBelowTheBestIsDull) {
  EXPECT_EQ(Judge({-0.06, -0.05}, -0.055, 0.0, 0.03), RaceStep::kDull);
}

TEST(RaceTest, CandidateThatIsWorseAgainAndAgainIsHopeless) {
  const std::vector<double> rewards(8, -0.5);
  EXPECT_EQ(Judge(rewards, -0.5, 0.0, 0.03), RaceStep::kHopeless);
}

TEST(RaceTest, NobodyGetsMoreThanTheMost) {
  const std::vector<double> rewards(8, 0.05);
  EXPECT_EQ(Judge(rewards, 0.05, 0.0, 0.03), RaceStep::kEnough);
}

TEST(RaceTest, EveryStepHasAName) {
  EXPECT_EQ(NameOf(RaceStep::kMore), "more");
  EXPECT_EQ(NameOf(RaceStep::kHopeless), "hopeless");
  EXPECT_EQ(NameOf(RaceStep::kDull), "dull");
  EXPECT_EQ(NameOf(RaceStep::kEnough), "enough");
}

}  // namespace
}  // namespace hone::tune
