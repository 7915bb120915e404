// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/random_search.h"

#include <gtest/gtest.h>

#include "hone/tune/proposers/proposer_contract.h"

namespace hone::tune {
namespace {

INSTANTIATE_TEST_SUITE_P(Random, ProposerContract, testing::Values(RandomSearchEntry()));

class RandomSearchTest : public testing::Test {
 protected:
  static Space MakeSpace() {
    Parameter x;
    x.name = "x";
    x.kind = RealRange{0, 1, 0, false};
    x.default_value = 0.5;
    return *Space::Make({x});
  }

  void Tell(double reward, double error) {
    Trial trial;
    trial.number = number_++;
    trial.candidate = *proposer_->Ask();
    trial.reward = {.mean = reward, .standard_error = error, .count = 1};
    ASSERT_TRUE(proposer_->Tell(trial));
    told_.push_back(trial);
  }

  const Space space_ = MakeSpace();
  std::unique_ptr<Proposer> proposer_ =
      *MakeRandomSearch({.space = space_,
                         .baseline = {.assignment = space_.Defaults(), .source = {}},
                         .seed = 1,
                         .planned_trials = 0,
                         .wants_front = false,
                         .options = {}});
  std::int64_t number_ = 0;
  std::vector<Trial> told_;
};

TEST_F(RandomSearchTest, ALuckyNoisyTrialDoesNotBeatASoundOne) {
  for (int i = 0; i < 8; ++i) Tell(0.01 * i, 0.02);
  Tell(0.30, 0.02);
  Tell(0.45, 0.60);  // The best observed, and nearly worthless.
  const auto best = *proposer_->Recommend(1);
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].candidate, told_[8].candidate);
  EXPECT_LT(best[0].reward.mean, 0.30);
  EXPECT_GT(best[0].reward.mean, 0.25);
}

TEST_F(RandomSearchTest, PureNoiseIsShrunkToNearlyNothing) {
  const double rewards[] = {0.04, -0.06, 0.05, -0.02, 0.01, -0.05, 0.02, -0.03};
  for (const double reward : rewards) Tell(reward, 0.05);
  const auto best = *proposer_->Recommend(10);
  for (const Recommendation& each : best) EXPECT_LT(each.reward.mean, 0.01);
}

TEST_F(RandomSearchTest, ItHasNoOptions) {
  ProposerSettings settings{.space = space_,
                            .baseline = {.assignment = space_.Defaults(), .source = {}},
                            .seed = 1,
                            .planned_trials = 0,
                            .wants_front = false,
                            .options = {{"speed", "11"}}};
  const auto made = MakeRandomSearch(settings);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "proposer random: unknown option speed; it has none");
}

}  // namespace
}  // namespace hone::tune
