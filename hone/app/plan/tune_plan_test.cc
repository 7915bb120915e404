// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/tune_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::app {
namespace {

using testing::HasSubstr;

class TunePlanTest : public testing::Test {
 protected:
  // A tuner at work on this host is none of these tests' business.
  TunePlanTest() { ::setenv("HONE_STATE", folder_->path().c_str(), 1); }

  Result<TunePlan> Plan(const TuneRequest& request) { return MakePlan(request, builtins_); }

  // A plan from a spec file with this text.
  Result<TunePlan> PlanOf(const std::string& text, TuneRequest request = {}) {
    request.target = folder_->path() / "spec.json";
    EXPECT_TRUE(WriteFileDurably(request.target, text));
    return Plan(request);
  }

  const Builtins builtins_ = MakeBuiltins();
  const Result<TempDir> folder_ = TempDir::Make();
};

TuneRequest Toy() {
  TuneRequest request;
  request.target = "toy";
  return request;
}

TEST_F(TunePlanTest, ADomainAloneHasDefaultsForAllElse) {
  const auto plan = Plan(Toy());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->spec.domain, "toy");
  EXPECT_EQ(plan->spec.seed, 1U);
  ASSERT_EQ(plan->spec.rule.objectives.size(), 1U);
  EXPECT_EQ(plan->spec.rule.objectives[0].metric, "throughput");
}

TEST_F(TunePlanTest, FlagsGoBeforeTheFileAndTheFileBeforeDefaults) {
  TuneRequest request;
  request.trials = 7;
  request.options = {{"noise", "0.01"}};
  const auto plan = PlanOf(
      R"({"domain": "toy", "options": {"noise": "0.05", "gain": "0.2"}, "seed": 9,
          "search": {"most_trials": 60, "batch": 3}})",
      request);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->spec.search.max_trials, 7);
  EXPECT_EQ(plan->spec.search.batch, 3);
  EXPECT_EQ(plan->spec.seed, 9U);
  EXPECT_EQ(plan->spec.options, (Options{{"gain", "0.2"}, {"noise", "0.01"}}));
  EXPECT_EQ(plan->spec.race.first_pairs, tune::CampaignSpec().race.first_pairs);
}

TEST_F(TunePlanTest, ObjectivesInAFileTakeTheDomainsDirection) {
  const auto plan = PlanOf(R"({"domain": "toy", "rule": {"objectives": [{"metric": "latency_ms"}],
                              "limits": [{"metric": "throughput", "is_upper": false,
                                          "bound": 100}]}})");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->spec.rule.objectives[0].direction, Direction::kLowerIsBetter);
  EXPECT_FALSE(plan->spec.rule.limits[0].is_relative);
}

TEST_F(TunePlanTest, FaultsOfAFileNameItAndThePath) {
  const auto unknown = PlanOf(R"({"domain": "toy", "search": {"trials": 60}})");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("spec.json"));
  EXPECT_THAT(unknown.error().message, HasSubstr("/search: the member \"trials\" is not known"));
  EXPECT_THAT(PlanOf(R"({"search": {}})").error().message, HasSubstr("\"domain\" is missing"));
  EXPECT_THAT(PlanOf(R"({"domain": "toy", "seed": "one"})").error().message, HasSubstr("/seed"));
  EXPECT_THAT(PlanOf("{").error().message, HasSubstr("spec.json"));
}

TEST_F(TunePlanTest, WhatDoesNotExistIsListed) {
  TuneRequest request = Toy();
  request.target = "toi";
  EXPECT_THAT(Plan(request).error().message, HasSubstr("did you mean toy?"));
  request = Toy();
  request.options = {{"noize", "1"}};
  EXPECT_THAT(Plan(request).error().message, HasSubstr("did you mean noise?"));
  request = Toy();
  request.engine = "baies";
  EXPECT_THAT(Plan(request).error().message, HasSubstr("there are: bayes, llm, ppo, random"));
  request = Toy();
  request.objectives = {{"speed", {}, 1}};
  EXPECT_THAT(Plan(request).error().message, HasSubstr("throughput, latency_ms, stability"));
  request = Toy();
  request.limits = {{"p99", true, 1, false}};
  EXPECT_THAT(Plan(request).error().message, HasSubstr("metric p99: no such metric"));
  request.target = "nowhere/spec.json";
  EXPECT_THAT(Plan(request).error().message, HasSubstr("nowhere/spec.json"));
}

TEST_F(TunePlanTest, OptionsOfTheEngineAreCheckedBeforeAnythingIsStored) {
  TuneRequest request = Toy();
  request.engine = "ppo";
  request.engine_options = {{"n_steps", "8"}};
  const auto plan = Plan(request);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->spec.search.options, (Options{{"n_steps", "8"}}));
  request.engine_options = {{"nsteps", "8"}};
  EXPECT_THAT(Plan(request).error().message, HasSubstr("did you mean n_steps"));
}

TEST_F(TunePlanTest, TheLearnersSettingsOfAnOlderFileAreThoseOfPpo) {
  const std::string older =
      R"({"workload_name": "demo", "reward_metric": "rate", "benchmark_command": "echo rate: 1",
          "action_space": [{"param": "vm.swappiness", "min": 0, "max": 100}], "state_space": [],
          "training_config": {"total_timesteps": 20, "n_steps": 8, "batch_size": 4, "n_epochs": 5,
                              "learning_rate": 0.001, "gamma": 0.95,
                              "max_steps_per_episode": 10}})";
  TuneRequest request;
  request.engine = "ppo";
  const auto plan = PlanOf(older, request);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->spec.search.max_trials, 20);
  EXPECT_EQ(plan->spec.search.options, (Options{{"batch_size", "4"},
                                                {"gamma", "0.95"},
                                                {"learning_rate", "0.001"},
                                                {"max_steps_per_episode", "10"},
                                                {"n_epochs", "5"},
                                                {"n_steps", "8"}}));
  const auto other = PlanOf(older);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_TRUE(other->spec.search.options.empty());
}

TEST_F(TunePlanTest, TheKeysOfAServiceAreTunedBesideOrInsteadOfWhatTheWorkloadNames) {
  const std::string service = folder_->path() / "cache.json";
  ASSERT_TRUE(WriteFileDurably(
      service, R"({"format": "hone-service", "format_version": 1, "name": "cache", "like": "redis",
                   "file": ")" +
                   (folder_->path() / "cache.conf").native() + R"("})"));
  const std::string workload =
      R"({"name": "demo", "benchmark": {"shell": "echo rate: 1"}, "metrics": [{"name": "rate",
          "unit": "1", "direction": "higher_is_better"}], "parameters": ["cache:hz"]})";
  TuneRequest request;
  request.is_rehearsal = true;
  EXPECT_THAT(PlanOf(workload, request).error().message, HasSubstr("no service cache is declared"));
  request.services = {service};
  auto plan = PlanOf(workload, request);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->domain->SearchSpace().parameters().size(), 1U) << "one key is named";
  request.parameters = {{{.name = "cache:io-threads", .range = {}, .specials = {}}}};
  plan = PlanOf(workload, request);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->domain->SearchSpace().parameters()[0].name, "cache:io-threads");
  request.parameters.emplace();
  plan = PlanOf(workload, request);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->domain->SearchSpace().parameters().size(),
            (*sysctl::FindService("redis"))->keys.size())
      << "no key is named, so all of them";
  request.target = "toy";
  EXPECT_THAT(Plan(request).error().message, HasSubstr("--service: toy is no workload"));
}

TEST_F(TunePlanTest, ANamedObjectiveIsTheAimOfASentence) {
  TuneRequest request;
  request.target = "tail latency of redis";
  request.is_rehearsal = true;
  const auto asked = Plan(request);
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_THAT(asked->choice, HasSubstr("Aim: p99_ms (latency)\n"));
  request.objectives = {{"requests_per_s", Direction::kHigherIsBetter, 1}};
  const auto named = Plan(request);
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_THAT(named->choice, HasSubstr("Aim: requests_per_s (as --objective says)\n"));
  EXPECT_THAT(named->choice, testing::Not(HasSubstr("p99_ms")));
  EXPECT_EQ(named->spec.rule.objectives[0].metric, "requests_per_s");
}

TEST_F(TunePlanTest, AFrontNeedsTwoObjectives) {
  TuneRequest request = Toy();
  request.wants_front = true;
  EXPECT_THAT(Plan(request).error().message, HasSubstr("--front: a trade-off needs two"));
  request.objectives = {{"throughput", {}, 1}, {"latency_ms", {}, 1}};
  const auto plan = Plan(request);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->spec.rule.objectives[1].direction, Direction::kLowerIsBetter);
}

TEST_F(TunePlanTest, PerformanceAndStabilityFindsTheStability) {
  TuneRequest request = Toy();
  request.formula = RewardRule::Formula::kPerformanceAndStability;
  const auto plan = Plan(request);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->spec.rule.objectives.size(), 2U);
  EXPECT_EQ(plan->spec.rule.objectives[1].metric, "stability");
}

TEST_F(TunePlanTest, AShareOfGainBecomesALogRatio) {
  TuneRequest request = Toy();
  request.min_gain = 0.02;
  EXPECT_NEAR(Plan(request)->spec.proof.min_gain, std::log(1.02), 1e-12);
}

}  // namespace
}  // namespace hone::app
