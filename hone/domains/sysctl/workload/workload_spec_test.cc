// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/workload_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/domains/sysctl/workload/spec_for_test.h"

namespace hone::sysctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(WorkloadSpecTest, AllOfASpecIsRead) {
  const WorkloadSpec spec = MustRead(kWholeSpec);
  EXPECT_EQ(spec.name, "web");
  EXPECT_EQ(spec.description, "A web server.");
  EXPECT_EQ(spec.place, Place::kNamespace);
  EXPECT_THAT(spec.programs, ElementsAre("nginx", "wrk"));
  EXPECT_THAT(spec.packages, ElementsAre("nginx-core", "wrk"));
  ASSERT_THAT(spec.setup, SizeIs(2));
  EXPECT_THAT(spec.setup[0].arguments, ElementsAre("mkdir", "-p", "{folder}/www"));
  EXPECT_THAT(spec.setup[1].arguments, ElementsAre("/bin/sh", "-c", "head -c 1M /dev/zero > x"));
  EXPECT_TRUE(spec.setup[1].is_shell);
  EXPECT_EQ(spec.setup[1].folder, "{folder}/www");
  EXPECT_EQ(spec.setup[1].limit, std::chrono::minutes(5));
  EXPECT_THAT(spec.teardown, SizeIs(1));
  ASSERT_TRUE(spec.service.has_value());
  EXPECT_THAT(spec.service->start.arguments, ElementsAre("nginx", "-g", "daemon off;"));
  EXPECT_THAT(spec.service->start.cpus, ElementsAre(0));
  EXPECT_EQ(spec.service->ready_port, 0);
  EXPECT_EQ(spec.service->ready_within, std::chrono::seconds(5));
  EXPECT_EQ(spec.service->restart, ServiceSpec::Restart::kAlways);
  EXPECT_THAT(spec.service->stop->arguments, ElementsAre("nginx", "-s", "stop"));
  EXPECT_THAT(spec.before_run, SizeIs(1));
  EXPECT_EQ(spec.benchmark.environment.at("WRK_URL"), "http://{address}:{port}/x");
  EXPECT_EQ(spec.page_cache, PageCache::kCold);
}

TEST(WorkloadSpecTest, WhatCountsIsRead) {
  const WorkloadSpec spec = MustRead(kWholeSpec);
  ASSERT_THAT(spec.metrics, SizeIs(3));
  EXPECT_EQ(spec.metrics[0].facts.name, "requests_per_s");
  EXPECT_EQ(spec.metrics[0].facts.direction, Direction::kHigherIsBetter);
  EXPECT_EQ(spec.metrics[0].extractor.form, Extractor::Form::kLine);
  EXPECT_EQ(spec.metrics[0].extractor.text, "Requests/sec");
  EXPECT_EQ(spec.metrics[1].extractor.form, Extractor::Form::kRegex);
  EXPECT_EQ(spec.metrics[1].facts.unit, "ms");
  EXPECT_EQ(spec.metrics[1].extractor.factor, 0.001);
  EXPECT_EQ(spec.metrics[2].extractor.form, Extractor::Form::kJsonPath);
  EXPECT_THAT(spec.objectives,
              ElementsAre(Objective{"requests_per_s", Direction::kHigherIsBetter, 1},
                          Objective{"p99_ms", Direction::kLowerIsBetter, 2}));
  EXPECT_TRUE(spec.wants_front);
  EXPECT_THAT(spec.limits, ElementsAre(Limit{"p99_ms", true, 20, false},
                                       Limit{"requests_per_s", false, 0.9, true}));
  EXPECT_EQ(spec.tripwires.memory_pressure, 0.25);
  EXPECT_FALSE(spec.tripwires.has_oom_wire);
  EXPECT_FALSE(spec.tripwires.has_kernel_log_wire);
  EXPECT_THAT(spec.tripwires.live_limits, ElementsAre(Limit{"p99_ms", true, 500, false}));
}

TEST(WorkloadSpecTest, ParametersAndBudgetAreRead) {
  const WorkloadSpec spec = MustRead(kWholeSpec);
  ASSERT_THAT(spec.parameters, SizeIs(5));
  EXPECT_EQ(spec.parameters[0].name, "net.core.somaxconn");
  EXPECT_FALSE(spec.parameters[0].range.has_value());
  EXPECT_EQ(*spec.parameters[1].range, Kind(IntegerRange{16, 4096, 16, true}));
  EXPECT_THAT(spec.parameters[1].specials, ElementsAre(SpecialValue{std::int64_t{0}, "off"}));
  EXPECT_EQ(*spec.parameters[2].range, Kind(Category{{"bbr", "cubic"}}));
  const auto& tuple = std::get<OrderedTuple>(*spec.parameters[3].range);
  EXPECT_EQ(tuple.arity, 3u);
  EXPECT_EQ(tuple.parts[2], (IntegerRange{65536, 16777216, 1, true}));
  EXPECT_EQ(tuple.range.low, 4096);
  EXPECT_EQ(tuple.range.high, 16777216);
  EXPECT_EQ(*spec.parameters[4].range, Kind(RealRange{0.5, 2, 0.25, false}));
  EXPECT_TRUE(spec.parameters[4].is_unknown_allowed);
  EXPECT_EQ(spec.budget.trials, 50);
  EXPECT_EQ(spec.budget.time, std::chrono::minutes(20));
  EXPECT_EQ(spec.budget.run_timeout, std::chrono::seconds(30));
  EXPECT_EQ(spec.budget.min_pairs, 6);
  EXPECT_EQ(spec.budget.max_pairs, 30);
  EXPECT_EQ(spec.budget.gate_pairs, 3);
  EXPECT_THAT(spec.words, ElementsAre("web", "http"));
}

TEST(WorkloadSpecTest, APartOfATupleMayBeANumberThatStays) {
  const auto json = Json::parse(
      R"({"name": "w", "benchmark": {"command": ["true"]},
          "metrics": [{"name": "s", "unit": "1", "direction": "higher_is_better"}],
          "parameters": [{"name": "t", "parts": [4096, {"low": 5000, "high": 9000}]}],
          "budget": {"expected_run": "800ms"}})");
  const auto spec = ReadWorkloadSpec(json, "w.json");
  ASSERT_TRUE(spec) << spec.error().message;
  const auto& tuple = std::get<OrderedTuple>(*spec->parameters[0].range);
  EXPECT_EQ(tuple.parts[0], (IntegerRange{4096, 4096, 1, false}));
  EXPECT_EQ(spec->budget.expected_run, std::chrono::milliseconds(800));
  EXPECT_EQ(ToJson(*ReadWorkloadSpec(ToJson(*spec), "again")), ToJson(*spec));
}

TEST(WorkloadSpecTest, WhatIsNotSaidHasDefaults) {
  const WorkloadSpec spec = MustRead(kPlainSpec);
  EXPECT_EQ(spec.place, Place::kHost);
  EXPECT_EQ(spec.page_cache, PageCache::kWarm);
  EXPECT_THAT(spec.benchmark.arguments, ElementsAre("bench", "--quick"));
  EXPECT_FALSE(spec.benchmark.is_shell);
  EXPECT_EQ(spec.metrics[0].extractor.text, "speed");
  EXPECT_THAT(spec.objectives, IsEmpty());
  EXPECT_EQ(spec.tripwires.memory_pressure, 0.5);
  EXPECT_TRUE(spec.tripwires.has_oom_wire);
  EXPECT_EQ(spec.budget.run_timeout, std::chrono::minutes(1));
  EXPECT_FALSE(spec.budget.trials.has_value());
}

TEST(WorkloadSpecTest, WhatIsWrittenReadsBack) {
  for (const char* text : {kWholeSpec, kPlainSpec, kOlderSpec}) {
    const Json written = ToJson(MustRead(text));
    const auto again = ReadWorkloadSpec(written, "again");
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(ToJson(*again), written);
  }
}

TEST(WorkloadSpecTest, AnOlderFileIsReadUnchanged) {
  const WorkloadSpec spec = MustRead(kOlderSpec);
  EXPECT_EQ(spec.name, "Batch Import");
  EXPECT_TRUE(spec.benchmark.is_shell);
  // Its braces are not variables.
  EXPECT_THAT(spec.benchmark.arguments,
              ElementsAre("/bin/sh", "-c", "python3 import.py | awk '{{print}}'"));
  EXPECT_EQ(spec.metrics[0].facts.name, "rows_per_second");
  EXPECT_EQ(spec.metrics[0].facts.direction, Direction::kHigherIsBetter);
  EXPECT_EQ(spec.metrics[0].extractor.form, Extractor::Form::kLabel);
  ASSERT_THAT(spec.parameters, SizeIs(2));
  EXPECT_EQ(spec.parameters[0].name, "vm.swappiness");
  EXPECT_EQ(*spec.parameters[0].range, Kind(IntegerRange{0, 100, 1, false}));
  EXPECT_EQ(*spec.parameters[1].range, Kind(RealRange{0.5, 4, 0, false}));
  EXPECT_EQ(spec.budget.trials, 200);
  EXPECT_EQ(spec.budget.run_timeout, std::chrono::seconds(15));
  EXPECT_EQ(spec.learner.size(), 2u);
  EXPECT_EQ(spec.learner.count("gamma") + spec.learner.count("learning_rate"), 2u);
  EXPECT_THAT(
      spec.notes,
      ElementsAre("benchmark_command: runs in a shell, as the older autotuner ran it",
                  "reward_metric: rows_per_second is maximised; it is taken from a line "
                  "\"rows_per_second: value\" (case, blanks, - and _ alike), or is all that is "
                  "printed, never the first number of the output",
                  "state_space: there is no cpu_usage, no disk_mood; the older autotuner took 0 "
                  "for it, always",
                  "state_space: every run records all observations, as changes over the run, "
                  "whatever is listed",
                  "training_config: gamma, learning_rate: for --engine ppo, not used by the others",
                  "training_config: not used: verbose", "the file: not used: author"));
}

TEST(WorkloadSpecTest, AnOlderFileWithoutTrainingKeepsItsLimit) {
  Json json = *ParseJson(kOlderSpec, "older");
  json.erase("training_config");
  const auto spec = ReadWorkloadSpec(json, "older");
  ASSERT_TRUE(spec.has_value()) << spec.error().message;
  EXPECT_EQ(spec->budget.run_timeout, std::chrono::seconds(120));
  EXPECT_FALSE(spec->budget.trials.has_value());
}

TEST(WorkloadSpecTest, APresetThatIsNotThereIsNamedWithThoseThatAre) {
  const auto preset = FindPreset("no-such-preset");
  ASSERT_FALSE(preset.has_value());
  EXPECT_EQ(preset.error().code, Errc::kNotFound);
  EXPECT_TRUE(preset.error().message.starts_with("no-such-preset: no such preset. There are: "))
      << preset.error().message;
}

TEST(WorkloadSpecTest, EveryPresetReads) {
  for (const std::string& name : PresetNames()) {
    const auto spec = FindPreset(name);
    ASSERT_TRUE(spec.has_value()) << spec.error().message;
    EXPECT_EQ(spec->name, name) << "the file is named like the workload";
    EXPECT_FALSE(spec->description.empty()) << name;
    EXPECT_FALSE(spec->words.empty()) << name;
  }
}

}  // namespace
}  // namespace hone::sysctl
