// SPDX-License-Identifier: Apache-2.0
#include "hone/env/classic_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/core/rng.h"
#include "hone/env/environment_contract.h"
#include "hone/env/vector_environment.h"

namespace hone::env {
namespace {

using ::testing::HasSubstr;

std::vector<EnvironmentCase> AllCases() {
  std::vector<EnvironmentCase> cases;
  for (const std::string& name : ClassicControlNames()) {
    std::string letters;
    for (const char c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) letters += c;
    }
    cases.push_back({letters, {.make = [name] { return MakeClassicControl(name); }}});
  }
  return cases;
}

// The rewards of one episode under a rule from observation to action.
template <typename Rule>
std::vector<Transition> Play(const std::string& name, std::uint64_t seed, Rule rule) {
  const auto environment = MakeClassicControl(name);
  EXPECT_TRUE(environment);
  std::vector<double> observation = *(*environment)->Reset(seed);
  std::vector<Transition> episode;
  do {
    const std::vector<double> action = {rule(observation)};
    episode.push_back(*(*environment)->Step(action));
    observation = episode.back().observation;
  } while (!episode.back().IsEnd());
  return episode;
}

TEST(ClassicControlTest, ABalancedPoleStandsUntilTheTimeLimitWhichIsATruncation) {
  const auto episode = Play("CartPole-v1", 3, [](const std::vector<double>& seen) {
    return seen[2] + 0.3 * seen[3] + 0.05 * seen[0] + 0.1 * seen[1] > 0 ? 1.0 : 0.0;
  });
  EXPECT_EQ(episode.size(), 500u);
  EXPECT_TRUE(episode.back().is_truncated);
  EXPECT_FALSE(episode.back().is_terminated);
}

TEST(ClassicControlTest, APushedPoleFallsWhichIsATermination) {
  const auto episode = Play("CartPole-v1", 3, [](const auto&) { return 1.0; });
  EXPECT_LT(episode.size(), 15u);
  EXPECT_TRUE(episode.back().is_terminated);
  EXPECT_EQ(episode.back().reward, 1);  // The last step counts too.
}

TEST(ClassicControlTest, APendulumWithoutTorqueKeepsItsEnergyNearly) {
  const auto episode = Play("Pendulum-v1", 5, [](const auto&) { return 0.5; });
  EXPECT_EQ(episode.size(), 200u);
  const auto energy = [](const Transition& t) {  // Upright, at rest: 0.
    return t.observation[2] * t.observation[2] / 6 + 5 * (t.observation[0] - 1);
  };
  for (const Transition& transition : episode) {
    EXPECT_NEAR(energy(transition), energy(episode.front()), 1.2);
  }
}

TEST(ClassicControlTest, AMountainCarThatPushesWithItsSpeedArrives) {
  const auto with_speed = [](const std::vector<double>& seen) { return seen[1] >= 0 ? 1.0 : 0.0; };
  const auto discrete = Play("MountainCar-v0", 1, with_speed);
  EXPECT_TRUE(discrete.back().is_terminated);
  EXPECT_EQ(discrete.back().reward, -1);
  const auto continuous = Play("MountainCarContinuous-v0", 1, with_speed);
  EXPECT_TRUE(continuous.back().is_terminated);
  EXPECT_DOUBLE_EQ(continuous.front().reward, -0.1);
  EXPECT_DOUBLE_EQ(continuous.back().reward, 100 - 0.1);
}

TEST(ClassicControlTest, AnAcrobotThatPushesWithItsSpeedSwingsUp) {
  const auto episode = Play(
      "Acrobot-v1", 2, [](const std::vector<double>& seen) { return seen[5] >= 0 ? 1.0 : 0.0; });
  EXPECT_TRUE(episode.back().is_terminated);
  EXPECT_EQ(episode.back().reward, 0);
  EXPECT_EQ(episode.front().reward, -1);
}

TEST(ClassicControlTest, ADiscreteActionIsASliceOfTheUnitInterval) {
  const auto after = [](double unit) {
    const auto environment = MakeClassicControl("MountainCar-v0");
    static_cast<void>(*(*environment)->Reset(1));
    const std::vector<double> action = {unit};
    return (*environment)->Step(action)->observation;
  };
  EXPECT_EQ(after(0.0), after(0.3));
  EXPECT_EQ(after(0.4), after(0.6));
  EXPECT_EQ(after(0.7), after(1.0));
  EXPECT_NE(after(0.3), after(0.4));
  EXPECT_NE(after(0.6), after(0.7));
}

TEST(ClassicControlTest, AnUnknownNameListsThoseThatThereAre) {
  const auto made = MakeClassicControl("CartPole");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::kNotFound);
  EXPECT_THAT(made.error().message, HasSubstr("CartPole-v1"));
}

TEST(VectorPositionTest, ARestoredVectorGoesOnAsIfNothingHadHappened) {
  const auto make = [] {
    std::vector<std::unique_ptr<Environment>> environments;
    for (int i = 0; i < 3; ++i) environments.push_back(*MakeClassicControl("CartPole-v1"));
    return std::move(*VectorEnvironment::Make(std::move(environments), 1));
  };
  const auto first = make();
  ASSERT_TRUE(first->Reset(7));
  Rng rng(1);
  const auto act = [&rng] {
    return std::vector<double>{rng.Uniform(), rng.Uniform(), rng.Uniform()};
  };
  std::vector<double> seen;
  for (int i = 0; i < 100; ++i) seen = first->Step(act())->observations;
  const auto second = make();
  EXPECT_EQ(*second->Restore(first->Position()), seen);
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> actions = act();
    EXPECT_EQ(first->Step(actions)->observations, second->Step(actions)->observations);
  }
  EXPECT_FALSE(second->Restore({.seed = 1, .episodes = {1}, .actions = {{}}}));
  EXPECT_FALSE(second->Restore({.seed = 1, .episodes = {0, 1, 1}, .actions = {{}, {}, {}}}));
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Classic, EnvironmentContract, EnvironmentContractCases(AllCases()),
                         NameOfEnvironmentCase);

}  // namespace hone::env
