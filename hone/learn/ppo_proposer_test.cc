// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/ppo_proposer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hone/core/rng.h"
#include "hone/learn/campaign_policy.h"
#include "hone/learn/tuning_policy.h"
#include "hone/tune/proposers/proposer_contract.h"
#include "hone/tune/proposers/trial_history.h"

namespace hone::learn {
namespace {

using ::testing::HasSubstr;
using tune::ProposerContract;

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

  Result<std::unique_ptr<tune::Proposer>> Make(std::map<std::string, std::string> options,
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

  std::vector<tune::Trial> Play(tune::Proposer& proposer, int trials) {
    std::vector<tune::Trial> told;
    for (int i = 0; i < trials; ++i) {
      tune::Trial trial;
      trial.number = i;
      trial.candidate = *proposer.Ask();
      trial.reward = {.mean = TrueReward(trial.candidate), .standard_error = 0.01, .count = 1};
      EXPECT_TRUE(proposer.Tell(trial));
      told.push_back(trial);
    }
    return told;
  }

  double MeanReward(const std::vector<tune::Trial>& trials, std::size_t from,
                    std::size_t to) const {
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
  const auto warm = *Make({{"history", tune::HistoryText(history)}}, 40);
  EXPECT_GT(MeanReward(Play(*warm, 20), 0, 20), MeanReward(history, 0, 20) + 0.05);
}

TEST_F(PpoProposerTest, APolicyBeginsWhereTheEarlierCampaignEnded) {
  const auto earlier = *Make({}, 240);
  EXPECT_EQ(earlier->Learnt(), "");
  const auto before = Play(*earlier, 240);
  const auto warm = *Make({{"initial_policy", earlier->Learnt()}}, 40);
  EXPECT_EQ(warm->Learnt(), earlier->Learnt());
  EXPECT_GT(MeanReward(Play(*warm, 20), 0, 20), MeanReward(before, 0, 20) + 0.05);
  EXPECT_NE(warm->Learnt(), earlier->Learnt());
}

TEST_F(PpoProposerTest, WhatWasLearntDoesNotDependOnHowOftenItIsAskedFor) {
  const auto one = *Make({}, 30);
  const auto other = *Make({}, 30);
  Play(*one, 30);
  for (const tune::Trial& trial : Play(*other, 30)) static_cast<void>(trial);
  EXPECT_EQ(one->Learnt(), other->Learnt());
  EXPECT_THAT(one->Learnt(), HasSubstr("\"trials\":30"));
}

TEST_F(PpoProposerTest, APolicyForOtherParametersIsRefused) {
  const auto earlier = *Make({}, 12);
  Play(*earlier, 12);
  std::vector<Parameter> others = space_.parameters();
  others[0].kind = RealRange{0, 2, 0, false};
  EXPECT_THAT(WhyUnfit(space_, *Space::Make(others)), HasSubstr("x has other values"));
  others = {space_.parameters()[0]};
  EXPECT_THAT(WhyUnfit(space_, *Space::Make(others)), HasSubstr("mode was a parameter then"));
  EXPECT_THAT(WhyUnfit(*Space::Make(others), space_), HasSubstr("mode is a parameter now"));
  others = space_.parameters();
  others[0].default_value = 0.1;  // Another value is in force; the policy is told.
  EXPECT_EQ(WhyUnfit(space_, *Space::Make(others)), "");
  const Space small = *Space::Make({space_.parameters()[0]});
  const auto refused = MakePpoProposer({.space = small,
                                        .baseline = {.assignment = small.Defaults(), .source = {}},
                                        .seed = 1,
                                        .planned_trials = 10,
                                        .wants_front = false,
                                        .options = {{"initial_policy", earlier->Learnt()}}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("trained for other parameters: mode"));
  EXPECT_THAT(Make({{"initial_policy", earlier->Learnt()}, {"net_arch", "8"}}).error().message,
              HasSubstr("it has other networks than net_arch"));
  EXPECT_THAT(Make({{"initial_policy", "{}"}}).error().message, HasSubstr("initial_policy"));
}

TEST_F(PpoProposerTest, APolicyIsRefusedWhereTheRunsReportNoneOfItsDeltas) {
  const auto play = [&](tune::Proposer& proposer, const std::string& delta) -> Result<void> {
    for (int i = 0; i < 6; ++i) {
      tune::Trial trial;
      trial.number = i;
      trial.candidate = *proposer.Ask();
      trial.reward = {.mean = TrueReward(trial.candidate), .standard_error = 0.01, .count = 1};
      trial.observations = {{delta, 1.0 + i}};
      if (auto told = proposer.Tell(trial); !told) return told;
    }
    return {};
  };
  const auto earlier = *Make({}, 6);
  ASSERT_TRUE(play(*earlier, "context switches"));
  EXPECT_TRUE(play(**Make({{"initial_policy", earlier->Learnt()}}, 6), "context switches"));
  const auto told = play(**Make({{"initial_policy", earlier->Learnt()}}, 6), "frames");
  ASSERT_FALSE(told);
  EXPECT_THAT(told.error().message, HasSubstr("runs that report context switches"));
}

TEST_F(PpoProposerTest, AHistoryOfOtherParametersIsRefused) {
  auto history = Play(**Make({}), 3);
  for (tune::Trial& trial : history) trial.candidate.assignment["x"] = 7.0;
  EXPECT_THAT(Make({{"history", tune::HistoryText(history)}}).error().message,
              HasSubstr("none of its trials can be made here"));
}

// What the learnt value network expects at the start of an episode.
double ValueAtStart(const Space& space, const std::string& learnt) {
  const CampaignPolicy policy = *ReadCampaignPolicy(learnt, "policy");
  const TuningView view(space, space.Defaults());
  const ActionDistribution distribution = DistributionFor(space);
  const auto network = MakeActorCritic({.observations = view.size(),
                                        .policy_outputs = distribution.output_count(),
                                        .free_count = distribution.free_count(),
                                        .hidden = {16}});
  ActorCriticState state = network->Save();
  state.parameters = policy.parameters;
  EXPECT_TRUE(network->Load(state));
  network->Forward(view.numbers());
  return network->ValueOf(0);
}

// A reward of two spreads a trial for ever is worth 2 / (1 - 0.9) = 20. Four trials alone, which is
// what an episode has here, would be worth 6.9.
TEST_F(PpoProposerTest, TheLimitOfAnEpisodeIsNotTheEndOfAllReward) {
  const auto proposer = *Make(
      {{"gamma", "0.9"}, {"n_steps", "8"}, {"batch_size", "8"}, {"max_steps_per_episode", "4"}},
      400);
  for (int i = 0; i < 400; ++i) {
    tune::Trial trial;
    trial.number = i;
    trial.candidate = *proposer->Ask();
    trial.reward = {.mean = i % 2 == 0 ? 1.0 : 3.0, .standard_error = 0.01, .count = 1};
    ASSERT_TRUE(proposer->Tell(trial));
  }
  const double value = ValueAtStart(space_, proposer->Learnt());
  EXPECT_GT(value, 12);
  EXPECT_LT(value, 28);
}

TEST_F(PpoProposerTest, AHistoryIsReadAsItWasWritten) {
  auto history = Play(**Make({}), 5);
  history[2].outcome = Outcome::kCrashed;
  history[3].is_within_limits = false;
  const auto read = tune::ReadHistory(tune::HistoryText(history), space_);
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
  tune::Trial trial;
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
}  // namespace hone::learn
