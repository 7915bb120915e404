// SPDX-License-Identifier: Apache-2.0
#include "hone/env/vector_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "hone/core/rng.h"
#include "hone/env/toy_evaluator_for_test.h"

namespace hone::env {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::size_t kEnvironments = 5;

std::vector<std::unique_ptr<Environment>> ToyEnvironments(const std::shared_ptr<Domain>& domain,
                                                          const Options& options) {
  std::vector<std::unique_ptr<Environment>> environments;
  for (std::size_t i = 0; i < kEnvironments; ++i) {
    DomainEnvironmentSettings settings;
    settings.options = options;
    settings.rule = ThroughputRule();
    settings.max_steps = 4 + static_cast<std::int64_t>(i);  // So that they end at different times.
    environments.push_back(MakeToyEnvironment(domain, settings));
  }
  return environments;
}

std::unique_ptr<VectorEnvironment> MakeVector(std::size_t threads) {
  const Options options = {{"surface", "cliff"}, {"noise", "0.05"}, {"fault", "crash"}};
  const auto domain = MakeToy(options);
  auto made = VectorEnvironment::Make(ToyEnvironments(domain, options), threads);
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

// Everything that a learner would see in `steps` steps of random actions.
std::vector<double> Play(VectorEnvironment& vector, std::uint64_t seed, int steps) {
  std::vector<double> seen = *vector.Reset(seed);
  Rng rng(seed);
  for (int i = 0; i < steps; ++i) {
    std::vector<double> actions(vector.size() * vector.Facts().action_size);
    for (double& coordinate : actions) coordinate = rng.Uniform();
    const auto step = vector.Step(actions);
    EXPECT_TRUE(step) << step.error().message;
    for (const Transition& transition : step->transitions) {
      seen.push_back(transition.reward);
      seen.push_back(transition.is_terminated ? 1 : 0);
      seen.push_back(transition.is_truncated ? 1 : 0);
      seen.insert(seen.end(), transition.observation.begin(), transition.observation.end());
    }
    seen.insert(seen.end(), step->observations.begin(), step->observations.end());
  }
  return seen;
}

// An environment that does not do the work, only what its test needs.
class ScriptedEnvironment final : public Environment {
 public:
  ScriptedEnvironment(std::size_t action_size, std::function<Result<Transition>()> step)
      : step_(std::move(step)) {
    facts_ = {.action_size = action_size, .observations = {"seed"}, .max_steps = 1};
  }
  const EnvironmentFacts& Facts() const override { return facts_; }
  Result<std::vector<double>> Reset(std::uint64_t seed) override {
    return std::vector<double>{static_cast<double>(seed)};
  }
  Result<Transition> Step(std::span<const double>) override { return step_(); }

 private:
  EnvironmentFacts facts_;
  std::function<Result<Transition>()> step_;
};

Result<Transition> LastStep() {
  Transition transition;
  transition.observation = {-1};
  transition.is_truncated = true;
  return transition;
}

std::unique_ptr<VectorEnvironment> MakeScripted(
    const std::vector<std::function<Result<Transition>()>>& scripts) {
  std::vector<std::unique_ptr<Environment>> environments;
  for (const auto& script : scripts) {
    environments.push_back(std::make_unique<ScriptedEnvironment>(1, script));
  }
  return std::move(*VectorEnvironment::Make(std::move(environments), 2));
}

TEST(VectorEnvironmentTest, OneThreadAndSeveralSeeTheSame) {
  const auto alone = Play(*MakeVector(1), 3, 40);
  EXPECT_EQ(Play(*MakeVector(2), 3, 40), alone);
  EXPECT_EQ(Play(*MakeVector(4), 3, 40), alone);
  EXPECT_NE(Play(*MakeVector(4), 4, 40), alone);
}

TEST(VectorEnvironmentTest, ResetWithTheSameSeedBeginsTheSame) {
  const auto vector = MakeVector(2);
  const auto first = Play(*vector, 3, 10);
  Play(*vector, 5, 7);
  EXPECT_EQ(Play(*vector, 3, 10), first);
}

TEST(VectorEnvironmentTest, EnvironmentsHaveDifferentSeeds) {
  const auto vector = MakeScripted({LastStep, LastStep, LastStep});
  const auto observations = vector->Reset(1);
  ASSERT_THAT(*observations, SizeIs(3));
  EXPECT_NE((*observations)[0], (*observations)[1]);
  EXPECT_NE((*observations)[1], (*observations)[2]);
}

TEST(VectorEnvironmentTest, EndedEpisodeKeepsItsLastObservationAndTheNextBegins) {
  const auto vector = MakeScripted({LastStep});
  const auto first = vector->Reset(1);
  const auto step = vector->Step(std::vector<double>{0.5});
  ASSERT_TRUE(step);
  EXPECT_TRUE(step->transitions[0].is_truncated);
  EXPECT_EQ(step->transitions[0].observation, std::vector<double>{-1});
  EXPECT_GE(step->observations[0], 0);    // A first observation, which is the seed,
  EXPECT_NE(step->observations, *first);  // and of another episode.
}

TEST(VectorEnvironmentTest, FirstFailingEnvironmentIsNamed) {
  const auto fail = [](const char* why) {
    return [why]() -> Result<Transition> { return Error{Errc::kUnavailable, why}; };
  };
  const auto vector = MakeScripted({LastStep, fail("down"), fail("also down")});
  ASSERT_TRUE(vector->Reset(1));
  const auto step = vector->Step(std::vector<double>(3));
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().code, Errc::kUnavailable);
  EXPECT_EQ(step.error().message, "environment 1: down");
}

TEST(VectorEnvironmentTest, ExceptionOfAnEnvironmentIsAnError) {
  const auto vector = MakeScripted(
      {LastStep, []() -> Result<Transition> { throw std::runtime_error("out of paper"); }});
  ASSERT_TRUE(vector->Reset(1));
  const auto step = vector->Step(std::vector<double>(2));
  ASSERT_FALSE(step);
  EXPECT_THAT(step.error().message, HasSubstr("environment 1: out of paper"));
}

TEST(VectorEnvironmentTest, WrongNumberOfActionsIsRefused) {
  const auto vector = MakeScripted({LastStep, LastStep});
  ASSERT_TRUE(vector->Reset(1));
  EXPECT_EQ(vector->Step(std::vector<double>(3)).error().code, Errc::kInvalidArgument);
}

TEST(VectorEnvironmentTest, DifferentSizesAreRefused) {
  std::vector<std::unique_ptr<Environment>> environments;
  environments.push_back(std::make_unique<ScriptedEnvironment>(1, LastStep));
  environments.push_back(std::make_unique<ScriptedEnvironment>(2, LastStep));
  EXPECT_FALSE(VectorEnvironment::Make(std::move(environments), 1));
  EXPECT_FALSE(VectorEnvironment::Make({}, 1));
}

}  // namespace
}  // namespace hone::env
