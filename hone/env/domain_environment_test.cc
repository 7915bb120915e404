// SPDX-License-Identifier: Apache-2.0
#include "hone/env/domain_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hone/domains/toy/toy_surface.h"
#include "hone/env/environment_contract.h"
#include "hone/env/toy_evaluator_for_test.h"

namespace hone::env {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;

DomainEnvironmentSettings Settings(const Options& options) {
  DomainEnvironmentSettings settings;
  settings.options = options;
  settings.rule = ThroughputRule();
  settings.max_steps = 8;
  settings.run_timeout = std::chrono::milliseconds{1};
  return settings;
}

std::vector<double> Action(const Domain& domain, const Assignment& assignment) {
  return domain.SearchSpace().ToUnit(assignment);
}

// Every candidate has the fault but baseline and optimum, and actions give exactly those back.
Options Faulty(const std::string& fault) {
  return {{"surface", "categorical"}, {"fault", fault}, {"fault_rate", "1"}};
}

std::vector<double> FaultyAction(const Domain& domain) {
  Assignment assignment = domain.Baseline().assignment;
  assignment["pin"] = true;
  return Action(domain, assignment);
}

double NumberNamed(const Environment& environment, const std::vector<double>& observation,
                   const std::string& name) {
  const auto& names = environment.Facts().observations;
  const auto found = std::ranges::find(names, name);
  EXPECT_NE(found, names.end()) << name;
  return observation[static_cast<std::size_t>(found - names.begin())];
}

TEST(DomainEnvironmentTest, RewardIsTheTrueGainWhereThereIsNoNoise) {
  const Options options = {{"surface", "mixed"}, {"noise", "0"}, {"gain", "0.2"}};
  const auto domain = MakeToy(options);
  const auto environment = MakeToyEnvironment(domain, Settings(options));
  const auto surface = toy::Surface::Make("mixed", 0.2);
  ASSERT_TRUE(environment->Reset(1));
  const auto transition = environment->Step(Action(*domain, surface->optimum()));
  ASSERT_TRUE(transition);
  EXPECT_NEAR(transition->reward, std::log(1.2), 1e-9);
  EXPECT_EQ(transition->evaluation.outcome, Outcome::kAccepted);
  EXPECT_NEAR(NumberNamed(*environment, transition->observation, "run throughput"), 0.2, 1e-9);
  EXPECT_EQ(NumberNamed(*environment, transition->observation, "last step failed"), 0);
}

TEST(DomainEnvironmentTest, DeclaresOneActionCoordinateForEachOfTheSpace) {
  const Options options = {{"surface", "mixed"}};
  const auto domain = MakeToy(options);
  const auto environment = MakeToyEnvironment(domain, Settings(options));
  EXPECT_EQ(environment->Facts().action_size, domain->SearchSpace().UnitSize());
  EXPECT_THAT(environment->Facts().observations, Contains("parameter memory/2"));
  EXPECT_THAT(environment->Facts().observations, Contains("run machine_level"));
}

TEST(DomainEnvironmentTest, FirstObservationIsTheBaseline) {
  const Options options = {{"surface", "smooth"}};
  const auto domain = MakeToy(options);
  const auto environment = MakeToyEnvironment(domain, Settings(options));
  auto expected = Action(*domain, domain->Baseline().assignment);
  expected.resize(environment->Facts().observations.size(), 0);
  EXPECT_EQ(*environment->Reset(1), expected);
}

TEST(DomainEnvironmentTest, LimitOfStepsTruncatesAndDoesNotTerminate) {
  const Options options = {{"surface", "smooth"}};
  const auto domain = MakeToy(options);
  const auto environment = MakeToyEnvironment(domain, Settings(options));
  ASSERT_TRUE(environment->Reset(1));
  const auto action = Action(*domain, domain->Baseline().assignment);
  for (int step = 1; step <= 8; ++step) {
    const auto transition = environment->Step(action);
    ASSERT_TRUE(transition);
    EXPECT_EQ(transition->is_truncated, step == 8);
    EXPECT_FALSE(transition->is_terminated);
  }
}

TEST(DomainEnvironmentTest, ThreeFailuresInARowTerminateAndAreNotTruncation) {
  const Options options = Faulty("crash");
  const auto domain = MakeToy(options);
  auto settings = Settings(options);
  settings.max_steps = 6;
  const auto environment = MakeToyEnvironment(domain, settings);
  ASSERT_TRUE(environment->Reset(1));
  const auto good = Action(*domain, domain->Baseline().assignment);
  const auto bad = FaultyAction(*domain);
  for (const auto& action : {bad, bad, good, bad, bad}) {
    const auto transition = environment->Step(action);
    ASSERT_TRUE(transition);
    EXPECT_FALSE(transition->IsEnd());
    EXPECT_EQ(transition->reward == settings.rule.failure_reward, action == bad);
  }
  const auto last = environment->Step(bad);
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->is_terminated);
  EXPECT_FALSE(last->is_truncated);
  EXPECT_EQ(last->evaluation.outcome, Outcome::kCrashed);
}

TEST(DomainEnvironmentTest, AfterAFailureTheLastAcceptedParametersAreInForce) {
  const Options options = Faulty("hang");
  const auto domain = MakeToy(options);
  const auto environment = MakeToyEnvironment(domain, Settings(options));
  const auto first = environment->Reset(1);
  const auto transition = environment->Step(FaultyAction(*domain));
  ASSERT_TRUE(transition);
  EXPECT_EQ(transition->evaluation.outcome, Outcome::kTimedOut);
  EXPECT_EQ(NumberNamed(*environment, transition->observation, "last step failed"), 1);
  for (std::size_t i = 0; i < environment->Facts().action_size; ++i) {
    EXPECT_EQ(transition->observation[i], (*first)[i]);
  }
}

TEST(DomainEnvironmentTest, GarbageIsAFailureOfTheCandidate) {
  const Options options = Faulty("garbage");
  const auto domain = MakeToy(options);
  const auto environment = MakeToyEnvironment(domain, Settings(options));
  ASSERT_TRUE(environment->Reset(1));
  const auto transition = environment->Step(FaultyAction(*domain));
  ASSERT_TRUE(transition);
  EXPECT_EQ(transition->reward, -1);
  EXPECT_THAT(transition->observation,
              Each(::testing::Truly([](double x) { return std::isfinite(x); })));
}

TEST(DomainEnvironmentTest, BrokenLimitHasTheFailureRewardAndIsNoFailure) {
  const Options options = {{"surface", "tradeoff"}, {"noise", "0"}};
  const auto domain = MakeToy(options);
  auto settings = Settings(options);
  settings.rule.limits = {{"latency_ms", true, 1.0, true}};
  settings.max_failures = 1;
  const auto environment = MakeToyEnvironment(domain, settings);
  ASSERT_TRUE(environment->Reset(1));
  Assignment slow = domain->Baseline().assignment;
  slow["batch"] = std::int64_t{64};
  const auto transition = environment->Step(Action(*domain, slow));
  ASSERT_TRUE(transition);
  EXPECT_EQ(transition->reward, -1);
  EXPECT_FALSE(transition->is_terminated);
}

TEST(DomainEnvironmentTest, FailureOfTheServiceIsAnErrorAndDoesNotCount) {
  const Options options = {{"surface", "smooth"}};
  const auto domain = MakeToy(options);
  bool is_down = false;
  std::vector<TaskId> ids;
  const Evaluator evaluator = [&](const Task& task) -> Result<Evaluation> {
    ids.push_back(task.id);
    if (is_down) return Error{Errc::kUnavailable, "the queue is down"};
    return EvaluatorOf(domain)(task);
  };
  const auto environment = MakeDomainEnvironment(*domain, evaluator, Settings(options));
  ASSERT_TRUE(environment);
  const auto action = Action(*domain, domain->Baseline().assignment);
  ASSERT_TRUE((*environment)->Reset(1));
  const auto undisturbed = (*environment)->Step(action);
  ASSERT_TRUE((*environment)->Reset(1));
  is_down = true;
  EXPECT_EQ((*environment)->Step(action).error().code, Errc::kUnavailable);
  is_down = false;
  const auto after = (*environment)->Step(action);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->reward, undisturbed->reward);
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());  // No id is used twice.
}

TEST(DomainEnvironmentTest, StepsPlanTheirRunsOneAfterTheOther) {
  const Options options = {{"surface", "smooth"}};
  const auto domain = MakeToy(options);
  std::vector<Task> tasks;
  const Evaluator evaluator = [&](const Task& task) {
    tasks.push_back(task);
    return EvaluatorOf(domain)(task);
  };
  auto settings = Settings(options);
  settings.order = {Arm::kBaseline, Arm::kCandidate, Arm::kCandidate, Arm::kBaseline};
  settings.owner = "training";
  const auto environment = MakeDomainEnvironment(*domain, evaluator, settings);
  ASSERT_TRUE(environment);
  ASSERT_TRUE((*environment)->Reset(77));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE((*environment)->Step(Action(*domain, domain->Baseline().assignment)));
    EXPECT_EQ(tasks.back().seed, 77U);
    EXPECT_EQ(tasks.back().position, 4 * i);
    EXPECT_EQ(tasks.back().options, options);
    EXPECT_EQ(tasks.back().owner, "training");
  }
}

TEST(DomainEnvironmentTest, SettingsThatMakeNoSenseAreRefused) {
  const auto domain = MakeToy({});
  const auto refusal = [&](DomainEnvironmentSettings settings) {
    const auto made = MakeDomainEnvironment(*domain, EvaluatorOf(domain), std::move(settings));
    return made ? "" : made.error().message;
  };
  auto settings = Settings({});
  EXPECT_EQ(refusal(settings), "");
  settings.max_steps = 0;
  EXPECT_THAT(refusal(settings), HasSubstr("max_steps"));
  settings = Settings({});
  settings.max_failures = 0;
  EXPECT_THAT(refusal(settings), HasSubstr("max_failures"));
  settings = Settings({});
  settings.order = {Arm::kCandidate};
  EXPECT_THAT(refusal(settings), HasSubstr("both arms"));
  settings = Settings({});
  settings.rule.objectives[0].metric = "speed";
  EXPECT_THAT(refusal(settings), HasSubstr("metric speed"));
}

std::vector<EnvironmentCase> ExamCases() {
  std::map<std::string, Options> cases = {
      {"Noisy", {{"noise", "0.1"}, {"shape", "lognormal-spikes"}, {"wander", "0.05"}}},
      {"Crashing", {{"fault", "crash"}, {"fault_rate", "0.9"}}},
  };
  for (const std::string& name : toy::SurfaceNames()) cases[name] = {{"surface", name}};
  std::vector<EnvironmentCase> exams;
  for (const auto& [name, options] : cases) {
    EnvironmentExam exam;
    const auto domain = MakeToy(options);
    exam.make = [domain, options = options] {
      return MakeDomainEnvironment(*domain, EvaluatorOf(domain), Settings(options));
    };
    exams.push_back({name, exam});
  }
  return exams;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Toy, EnvironmentContract, EnvironmentContractCases(ExamCases()),
                         NameOfEnvironmentCase);

}  // namespace hone::env
