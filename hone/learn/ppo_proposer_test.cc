// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/ppo_proposer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hone/core/rng.h"
#include "hone/learn/tuning_policy.h"
#include "hone/tune/proposer_contract.h"

namespace hone {
namespace {

using ::testing::HasSubstr;

INSTANTIATE_TEST_SUITE_P(Ppo, ProposerContract, testing::Values(PpoProposerEntry()));

class PpoProposerTest : public testing::Test {
 protected:
  static Space MakeSpace() {
    Parameter x;
    x.name = "x";
    x.kind = RealRange{0, 1, 0, false};
    x.default_value = 0.9;
    Parameter mode;
    mode.name = "mode";
    mode.kind = Category{{"a", "b", "c"}};
    mode.default_value = std::string("a");
    Parameter depth;
    depth.name = "depth";
    depth.kind = IntegerRange{1, 64, 1, true};
    depth.default_value = std::int64_t{8};
    depth.condition = Condition{.parent = "mode", .values = {std::string("b")}};
    return *Space::Make({x, mode, depth});
  }

  Result<std::unique_ptr<Proposer>> Make(std::map<std::string, std::string> options,
                                         std::int64_t planned = 0) const {
    return MakePpoProposer({.space = space_,
                            .baseline = {.assignment = space_.Defaults(), .source = {}},
                            .seed = 1,
                            .planned_trials = planned,
                            .wants_front = false,
                            .options = std::move(options)});
  }

  // Best at x = 0.3 and mode b.
  double TrueReward(const Candidate& candidate) const {
    const double x = std::get<double>(candidate.assignment.at("x"));
    const bool is_b = std::get<std::string>(candidate.assignment.at("mode")) == "b";
    return 0.36 - (x - 0.3) * (x - 0.3) + (is_b ? 0.1 : 0);
  }

  std::vector<Trial> Play(Proposer& proposer, int trials) {
    std::vector<Trial> told;
    for (int i = 0; i < trials; ++i) {
      Trial trial;
      trial.number = i;
      trial.candidate = *proposer.Ask();
      trial.reward = {.mean = TrueReward(trial.candidate), .standard_error = 0.01, .count = 1};
      EXPECT_TRUE(proposer.Tell(trial));
      told.push_back(trial);
    }
    return told;
  }

  double MeanReward(const std::vector<Trial>& trials, std::size_t from, std::size_t to) const {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += trials[i].reward.mean;
    return sum / static_cast<double>(to - from);
  }

  const Space space_ = MakeSpace();
};

TEST_F(PpoProposerTest, ItLearnsWhatPays) {
  const auto proposer = *Make({}, 400);
  const auto trials = Play(*proposer, 400);
  EXPECT_GT(MeanReward(trials, 350, 400), MeanReward(trials, 0, 50) + 0.05);
}

TEST_F(PpoProposerTest, AWarmPolicyBeginsWhereAColdOneEnds) {
  const auto history = Play(**Make({}, 60), 60);
  const auto warm = *Make({{"history", HistoryText(history)}}, 40);
  EXPECT_GT(MeanReward(Play(*warm, 20), 0, 20), MeanReward(history, 0, 20) + 0.05);
}

TEST_F(PpoProposerTest, AHistoryIsReadAsItWasWritten) {
  auto history = Play(**Make({}), 5);
  history[2].outcome = Outcome::kCrashed;
  history[3].is_within_limits = false;
  const auto read = ReadHistory(HistoryText(history), space_);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ((*read)[i].candidate, history[i].candidate);
    EXPECT_EQ((*read)[i].outcome, history[i].outcome);
  }
  EXPECT_FALSE((*read)[3].is_within_limits);
  EXPECT_FALSE(Make({{"history", "[{}]"}}));
}

TEST_F(PpoProposerTest, ThatNoMoreIsGainedIsSaidAfterSomePatience) {
  const auto proposer = *Make({{"n_steps", "4"}, {"patience", "3"}});
  Trial trial;
  for (int i = 0; i < 4 * 20; ++i) {
    trial.number = i;
    trial.candidate = *proposer->Ask();
    trial.reward = {.mean = -0.01 * i, .standard_error = 0.01, .count = 1};
    ASSERT_TRUE(proposer->Tell(trial));
    if (i < 12) {
      EXPECT_FALSE(proposer->ExpectedRemainingGain());
    }
  }
  EXPECT_EQ(proposer->ExpectedRemainingGain(), 0);
}

TEST_F(PpoProposerTest, TheOlderAutotunersOptionsAreTaken) {
  EXPECT_TRUE(Make({{"total_timesteps", "200"},
                    {"n_steps", "64"},
                    {"batch_size", "32"},
                    {"n_epochs", "5"},
                    {"learning_rate", "0.001"},
                    {"gamma", "0.95"},
                    {"max_steps_per_episode", "10"}}));
}

TEST_F(PpoProposerTest, WhatItDoesNotKnowIsRefused) {
  EXPECT_THAT(Make({{"speed", "11"}}).error().message, HasSubstr("option speed"));
  EXPECT_THAT(Make({{"n_envs", "4"}}).error().message, HasSubstr("no meaning in a campaign"));
  EXPECT_THAT(Make({{"patience", "-1"}}).error().message, HasSubstr("patience"));
}

TEST_F(PpoProposerTest, AnInactiveParameterTakesNoPart) {
  const ActionDistribution distribution = DistributionFor(space_);
  Assignment assignment = space_.Defaults();  // mode=a, so there is no depth.
  EXPECT_EQ(MaskOf(space_, distribution, assignment), (std::vector<double>{1, 1, 0, 1, 1, 1}));
  assignment["mode"] = std::string("b");
  assignment["depth"] = std::int64_t{4};
  EXPECT_EQ(MaskOf(space_, distribution, assignment), (std::vector<double>{1, 1, 1, 1, 1, 1}));
}

TEST_F(PpoProposerTest, TheViewShowsWhatIsInForceAndTheDeltasInTheirOwnUnits) {
  TuningView view(space_, space_.Defaults());
  EXPECT_EQ(view.numbers().size(), view.size());
  const Assignment tried = {{"x", 0.5}, {"mode", std::string("b")}, {"depth", std::int64_t{64}}};
  view.Note(&tried, 1.5, {{"context switches", 2000}, {"faults", 10}});
  EXPECT_DOUBLE_EQ(view.numbers()[0], 0);
  EXPECT_DOUBLE_EQ(view.numbers()[2], 1);
  EXPECT_DOUBLE_EQ(view.numbers()[3], 1.5);
  EXPECT_DOUBLE_EQ(view.numbers()[5], 1);
  view.Note(nullptr, -3, {{"context switches", -1000}});
  EXPECT_DOUBLE_EQ(view.numbers()[0], 0);  // A trial that failed is not in force.
  EXPECT_DOUBLE_EQ(view.numbers()[4], 1);
  EXPECT_DOUBLE_EQ(view.numbers()[5], -0.5);
  view.BeginEpisode();
  EXPECT_DOUBLE_EQ(view.numbers()[0], 0.8);
  EXPECT_DOUBLE_EQ(view.numbers()[5], 0);
}

}  // namespace
}  // namespace hone
