// SPDX-License-Identifier: Apache-2.0
#include "hone/server/environments/live_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hone/env/toy_evaluator_for_test.h"
#include "hone/testing/fake_domain.h"

namespace hone::server {
namespace {

using testing::HasSubstr;

EnvironmentRequest RequestFor(const Options& options) {
  EnvironmentRequest request;
  request.domain = "toy";
  request.seed = 5;
  request.owner = "ops";
  request.needs = {{"toy"}, 7};
  request.settings.options = options;
  request.settings.max_steps = 3;
  return request;
}

std::unique_ptr<Domain> ToyWith(const Options& options) {
  return MakeDomain(env::ToyTable(), "toy", options).value();
}

class LiveEnvironmentTest : public testing::Test {
 protected:
  explicit LiveEnvironmentTest(const Options& options = {{"noise", "0.05"}})
      : environment_({"e", "ada", {}}, RequestFor(options), ToyWith(options)),
        evaluator_(env::EvaluatorOf(env::MakeToy(options))) {}

  void Settle(const Task& task) {
    EXPECT_TRUE(environment_.NotePushed(task.id));
    environment_.Conclude(task.id, {evaluator_(task).value()});
  }

  void OpenAndReset(std::uint64_t seed = 7) {
    const auto task = environment_.Open();
    ASSERT_TRUE(task) << task.error().message;
    Settle(*task);
    const auto start = environment_.Reset(seed);
    ASSERT_TRUE(start) << start.error().message;
  }

  std::vector<double> ActionOf(double unit) const {
    return std::vector<double>(environment_.domain().SearchSpace().UnitSize(), unit);
  }

  std::shared_ptr<const EnvironmentStep> Step(double unit) {
    const auto begun = environment_.BeginStep({ActionOf(unit), std::nullopt});
    EXPECT_TRUE(begun) << begun.error().message;
    if (!begun) return nullptr;
    Settle(begun->task);
    return environment_.ProgressOf(begun->task.id).value().step;
  }

  LiveEnvironment environment_;
  const env::Evaluator evaluator_;
};

TEST_F(LiveEnvironmentTest, StepsAreThoseOfTheEnvironmentItself) {
  const Options options{{"noise", "0.05"}};
  const auto domain = env::MakeToy(options);
  env::DomainEnvironmentSettings settings = RequestFor(options).settings;
  settings.rule = env::ThroughputRule();
  const auto direct = env::MakeToyEnvironment(domain, settings);
  OpenAndReset(7);
  EXPECT_EQ(environment_.Look().facts.observations, direct->Facts().observations);
  ASSERT_TRUE(direct->Reset(7));
  for (const double unit : {0.1, 0.5, 0.9}) {
    const auto here = Step(unit);
    const auto there = direct->Step(ActionOf(unit));
    ASSERT_TRUE(here && there);
    EXPECT_EQ(here->transition.observation, there->observation);
    EXPECT_EQ(here->transition.reward, there->reward);
    EXPECT_EQ(here->transition.is_truncated, there->is_truncated);
  }
  EXPECT_EQ(environment_.Look().state, EnvironmentState::kEnded);
}

TEST_F(LiveEnvironmentTest, ItsTasksAreItsOwnersAndHaveIdsOfTheirOwn) {
  const auto opening = environment_.Open();
  ASSERT_TRUE(opening);
  EXPECT_EQ(opening->id, "e-0");
  EXPECT_EQ(opening->owner, "ops");
  EXPECT_EQ(opening->needs, (Capabilities{{"toy"}, 7}));
  Settle(*opening);
  ASSERT_TRUE(environment_.Reset(1));
  EXPECT_EQ(environment_.BeginStep({ActionOf(0.5), std::nullopt})->task.id, "e-1");
}

TEST_F(LiveEnvironmentTest, EpisodesWithoutASeedFollowFromThatOfTheEnvironment) {
  OpenAndReset();
  const auto one = environment_.Reset(std::nullopt);
  const auto other = environment_.Reset(std::nullopt);
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->seed, other->seed);
  LiveEnvironment twin({"f", "ada", {}}, RequestFor({}), ToyWith({}));
  const auto task = twin.Open();
  twin.NotePushed(task->id);
  twin.Conclude(task->id, {evaluator_(*task).value()});
  ASSERT_TRUE(twin.Reset(3));
  EXPECT_EQ(twin.Reset(std::nullopt)->seed, one->seed);
}

TEST_F(LiveEnvironmentTest, BeforeItIsOpenAndBeforeAnEpisodeNothingIsBegun) {
  const auto task = environment_.Open();
  ASSERT_TRUE(task);
  EXPECT_EQ(environment_.Look().state, EnvironmentState::kOpening);
  EXPECT_EQ(environment_.Reset(1).error().code, Errc::kConflict);
  Settle(*task);
  EXPECT_EQ(environment_.Look().state, EnvironmentState::kReady);
  const auto step = environment_.BeginStep({ActionOf(0.5), std::nullopt});
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().code, Errc::kConflict);
  EXPECT_THAT(step.error().message, HasSubstr("reset"));
}

TEST_F(LiveEnvironmentTest, OneStepAtATime) {
  OpenAndReset();
  const auto begun = environment_.BeginStep({ActionOf(0.5), std::nullopt});
  ASSERT_TRUE(begun);
  EXPECT_EQ(environment_.Look().state, EnvironmentState::kStepping);
  EXPECT_EQ(environment_.BeginStep({ActionOf(0.5), std::nullopt}).error().code, Errc::kConflict);
  EXPECT_EQ(environment_.Reset(1).error().code, Errc::kConflict);
  Settle(begun->task);
  EXPECT_TRUE(environment_.Reset(1));
}

TEST_F(LiveEnvironmentTest, AStepWithANumberCanBeAskedForAgain) {
  OpenAndReset();
  const AskedStep first{ActionOf(0.5), 1};
  const auto begun = environment_.BeginStep(first);
  ASSERT_TRUE(begun && begun->is_new);
  const auto again = environment_.BeginStep(first);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->is_new);
  EXPECT_EQ(again->task.id, begun->task.id);
  Settle(begun->task);
  const auto late = environment_.BeginStep(first);
  ASSERT_TRUE(late);
  EXPECT_FALSE(late->is_new);
  EXPECT_EQ(late->task.id, begun->task.id);
  EXPECT_EQ(environment_.BeginStep({ActionOf(0.6), 1}).error().code, Errc::kConflict);
  const auto far = environment_.BeginStep({ActionOf(0.6), 3});
  ASSERT_FALSE(far);
  EXPECT_THAT(far.error().message, HasSubstr("step 2"));
  EXPECT_TRUE(environment_.BeginStep({ActionOf(0.6), 2})->is_new);
}

TEST_F(LiveEnvironmentTest, AfterAFailureOfTheServiceTheEpisodeStandsWhereItStood) {
  OpenAndReset();
  const auto undisturbed = Step(0.2);
  ASSERT_TRUE(environment_.Reset(7));
  const auto begun = environment_.BeginStep({ActionOf(0.2), 1});
  ASSERT_TRUE(begun);
  environment_.NotePushed(begun->task.id);
  environment_.Conclude(begun->task.id,
                        {Settlement::Drop{Dropped::kAbandoned, "the machine is on fire"}});
  const auto progress = environment_.ProgressOf(begun->task.id);
  ASSERT_FALSE(progress);
  EXPECT_EQ(progress.error().code, Errc::kUnavailable);
  EXPECT_THAT(progress.error().message, HasSubstr("on fire"));
  const auto again = environment_.BeginStep({ActionOf(0.2), 1});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->is_new);
  EXPECT_NE(again->task.id, begun->task.id);
  Settle(again->task);
  EXPECT_EQ(environment_.ProgressOf(again->task.id)->step->transition.reward,
            undisturbed->transition.reward);
}

TEST_F(LiveEnvironmentTest, WhatItDoesNotWaitForIsNothingToIt) {
  OpenAndReset();
  const auto begun = environment_.BeginStep({ActionOf(0.2), std::nullopt});
  environment_.Conclude("e-0", {Settlement::Drop{Dropped::kCancelled, ""}});
  environment_.Fail("other", {Errc::kUnavailable, ""});
  EXPECT_FALSE(environment_.ProgressOf(begun->task.id)->is_over);
  EXPECT_EQ(environment_.ProgressOf("e-0").error().code, Errc::kConflict);
}

TEST_F(LiveEnvironmentTest, ATaskThatIsNotInTheQueueYetIsNotAwaited) {
  OpenAndReset();
  const auto begun = environment_.BeginStep({ActionOf(0.2), std::nullopt});
  EXPECT_EQ(environment_.AwaitedTask(), std::nullopt);
  EXPECT_TRUE(environment_.NotePushed(begun->task.id));
  EXPECT_EQ(environment_.AwaitedTask(), begun->task.id);
}

TEST_F(LiveEnvironmentTest, OnceClosedItBeginsNothingAndGivesItsTaskUp) {
  OpenAndReset();
  const auto begun = environment_.BeginStep({ActionOf(0.2), std::nullopt});
  EXPECT_TRUE(environment_.NotePushed(begun->task.id));
  EXPECT_EQ(environment_.Close(), begun->task.id);
  EXPECT_EQ(environment_.ProgressOf(begun->task.id).error().code, Errc::kNotFound);
  EXPECT_EQ(environment_.Reset(1).error().code, Errc::kNotFound);
  EXPECT_EQ(environment_.BeginStep({ActionOf(0.2), std::nullopt}).error().code, Errc::kNotFound);
  EXPECT_FALSE(environment_.NotePushed(begun->task.id));
}

TEST_F(LiveEnvironmentTest, ABaselineThatDoesNotRunIsForTheClientToCorrect) {
  const auto task = environment_.Open();
  ASSERT_TRUE(task);
  Evaluation evaluation;
  evaluation.outcome = Outcome::kCrashed;
  evaluation.reason = "exit status 139";
  environment_.Conclude(task->id, {evaluation});
  const auto progress = environment_.ProgressOf(task->id);
  ASSERT_FALSE(progress);
  EXPECT_EQ(progress.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(progress.error().message, HasSubstr("crashed: exit status 139"));
  EXPECT_EQ(environment_.Look().state, EnvironmentState::kOpening);
}

TEST(LiveEnvironmentOpenTest, ADomainWithoutParametersIsRefused) {
  FakeScript script;
  LiveEnvironment environment({"e", "ada", {}}, RequestFor({}),
                              std::make_unique<FakeDomain>(script));
  const auto task = environment.Open();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(task.error().message, HasSubstr("no parameters"));
}

TEST(LiveEnvironmentOpenTest, AMetricThatIsNotMeasuredIsRefused) {
  EnvironmentRequest request = RequestFor({});
  request.objectives = {{"troughput", Direction::kHigherIsBetter, 1}};
  LiveEnvironment environment({"e", "ada", {}}, request, ToyWith({}));
  const auto task = environment.Open();
  ASSERT_FALSE(task);
  EXPECT_THAT(task.error().message, HasSubstr("did you mean throughput?"));
}

class FaultyEnvironmentTest : public LiveEnvironmentTest {
 protected:
  FaultyEnvironmentTest()
      : LiveEnvironmentTest({{"surface", "categorical"}, {"fault", "crash"}, {"fault_rate", "1"}}) {
  }
};

TEST_F(FaultyEnvironmentTest, WhatACandidateDoesWrongIsAStepWithAReward) {
  OpenAndReset();
  const auto step = Step(0.9);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->transition.evaluation.outcome, Outcome::kCrashed);
  EXPECT_EQ(step->transition.reward, -1);
}

}  // namespace
}  // namespace hone::server
