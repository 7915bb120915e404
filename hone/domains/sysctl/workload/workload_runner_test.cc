// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/workload_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/workload/spec_for_test.h"

namespace hone::sysctl {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

CommandSpec Shell(std::string text) {
  CommandSpec command;
  command.arguments = {"/bin/sh", "-c", std::move(text)};
  command.is_shell = true;
  return command;
}

WorkloadSpec SpecOf(std::string benchmark) {
  WorkloadSpec spec = MustRead(kPlainSpec);
  spec.benchmark = Shell(std::move(benchmark));
  return spec;
}

std::unique_ptr<WorkloadRunner> Opened(const WorkloadSpec& spec, Stage stage = {}) {
  auto runner = WorkloadRunner::Open(spec, std::move(stage));
  EXPECT_TRUE(runner.has_value()) << runner.error().message;
  return runner ? *std::move(runner) : nullptr;
}

RunResult RunOnce(const WorkloadSpec& spec, const WorkloadRun& run = {}) {
  const auto runner = Opened(spec);
  auto result = runner->Run(run);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result ? *std::move(result) : RunResult{};
}

TEST(WorkloadRunnerTest, APlainCommandGivesItsMetrics) {
  const RunResult result = RunOnce(SpecOf("echo 2026; sleep 0.01; echo speed: 42.5"));
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << result.reason;
  EXPECT_EQ(result.sample.metrics.at("speed"), (Reading{42.5, 0, 1}));
  EXPECT_GE(result.sample.duration, milliseconds{10});
  EXPECT_GT(result.sample.started, WallTime{});
}

TEST(WorkloadRunnerTest, AMissingMetricFailsWithTheOutputAsEvidence) {
  const RunResult result = RunOnce(SpecOf("echo 12345; echo oh dear >&2"));
  EXPECT_EQ(result.outcome, Outcome::kWrong);
  EXPECT_EQ(result.reason,
            "metric speed: the output has no line \"speed: value\" or \"speed = value\"");
  EXPECT_THAT(result.evidence, testing::ElementsAre(Evidence{"benchmark: output", "12345\n"},
                                                    Evidence{"benchmark: errors", "oh dear\n"}));
  EXPECT_TRUE(result.sample.metrics.empty());
}

TEST(WorkloadRunnerTest, AFailedBenchmarkIsAnOutcome) {
  const RunResult result = RunOnce(SpecOf("echo speed: 3; exit 4"));
  EXPECT_EQ(result.outcome, Outcome::kCrashed);
  EXPECT_EQ(result.reason, "the benchmark exited with status 4");
  EXPECT_EQ(RunOnce(SpecOf("kill -SEGV $$")).reason,
            "the benchmark was ended by signal 11 (Segmentation fault)");
}

TEST(WorkloadRunnerTest, TheShortestLimitHolds) {
  WorkloadSpec spec = SpecOf("sleep 1000");
  spec.budget.run_limit = milliseconds{100};
  RunResult result = RunOnce(spec);
  EXPECT_EQ(result.outcome, Outcome::kTimedOut);
  EXPECT_EQ(result.reason, "the benchmark ran over its limit of 0.1 s");
  spec.benchmark.limit = milliseconds{50};
  EXPECT_EQ(RunOnce(spec).reason, "the benchmark ran over its limit of 0.05 s");
  WorkloadRun run;
  run.limit = milliseconds{25};
  EXPECT_EQ(RunOnce(spec, run).reason, "the benchmark ran over its limit of 0.025 s");
}

TEST(WorkloadRunnerTest, AStoppedRunEnds) {
  std::stop_source stop;
  stop.request_stop();
  WorkloadRun run;
  run.stop = stop.get_token();
  EXPECT_EQ(RunOnce(SpecOf("sleep 1000"), run).reason, "the benchmark was stopped");
}

TEST(WorkloadRunnerTest, VariablesAndACleanEnvironmentReachTheProgram) {
  ::setenv("HONE_TEST_SECRET", "x", 1);
  WorkloadSpec spec = SpecOf(
      "echo speed: $((0$(env | grep -c HONE_TEST_SECRET))); env | sort | cut -d= -f1 | tr '\\n' ' '"
      " >&2; echo {port} {address} {cpus} {hone} $MINE >&2; ls -d {folder} >&2; exit 1");
  spec.benchmark.environment = {{"MINE", "in-{address}"}};
  const RunResult result = RunOnce(spec);
  ::unsetenv("HONE_TEST_SECRET");
  ASSERT_EQ(result.evidence.size(), 2u);
  EXPECT_EQ(result.evidence[0].text, "speed: 0\n");
  EXPECT_THAT(result.evidence[1].text, testing::StartsWith("HOME LANG MINE PATH PWD TMPDIR "));
  EXPECT_THAT(result.evidence[1].text, HasSubstr(" 127.0.0.1 "));
  EXPECT_THAT(result.evidence[1].text, HasSubstr("sysctl_workload_test in-127.0.0.1\n/tmp"));
}

TEST(WorkloadRunnerTest, ThePrefixStandsBeforeTheBenchmark) {
  WorkloadSpec spec = SpecOf("echo speed: $FROM_PREFIX");
  Stage stage;
  stage.benchmark_prefix = {"env", "FROM_PREFIX=7"};
  const auto result = Opened(spec, stage)->Run({});
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->sample.metrics.at("speed").value, 7);
}

TEST(WorkloadRunnerTest, SetupComesFirstAndTeardownLastAndTheFolderGoes) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder.has_value());
  const std::string log = folder->path() / "log";
  WorkloadSpec spec = SpecOf("echo bench >> " + log + "; cat {folder}/made");
  spec.setup = {Shell("echo setup >> " + log), Shell("echo speed: 5 > {folder}/made")};
  spec.teardown = {Shell("echo teardown >> " + log), Shell("echo {folder} >> " + log)};
  EXPECT_EQ(RunOnce(spec).sample.metrics.at("speed").value, 5);
  const std::string text = ReadFile(log).value_or("");
  EXPECT_THAT(text, testing::StartsWith("setup\nbench\nteardown\n/"));
  const std::string scratch = text.substr(text.find('/'), text.rfind('\n') - text.find('/'));
  EXPECT_FALSE(std::filesystem::exists(scratch)) << scratch;
}

TEST(WorkloadRunnerTest, AFailedSetupIsAnErrorAndTheTeardownStillRuns) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder.has_value());
  const std::string log = folder->path() / "log";
  WorkloadSpec spec = SpecOf("true");
  spec.setup = {Shell("true"), Shell("echo no space >&2; exit 3")};
  spec.teardown = {Shell("echo teardown > " + log)};
  const auto runner = WorkloadRunner::Open(spec, {});
  ASSERT_FALSE(runner.has_value());
  EXPECT_EQ(runner.error().message, "plain: /setup/1: /bin/sh exited with status 3: no space\n");
  EXPECT_EQ(ReadFile(log).value_or(""), "teardown\n");
}

}  // namespace
}  // namespace hone::sysctl
