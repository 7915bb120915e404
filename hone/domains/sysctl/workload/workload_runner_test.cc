// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/workload_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/workload/spec_for_test.h"

namespace hone::sysctl {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

CommandSpec ShellOfRun(std::string text) {
  CommandSpec command;
  command.arguments = {"/bin/sh", "-c", std::move(text)};
  command.is_shell = true;
  return command;
}

WorkloadSpec SpecOf(std::string benchmark) {
  WorkloadSpec spec = MustRead(kPlainSpec);
  spec.benchmark = ShellOfRun(std::move(benchmark));
  spec.tripwires =
      TripwireSpec{0, false, false, {}};  // What else happens here is not our business.
  return spec;
}

std::unique_ptr<WorkloadRunner> Opened(const WorkloadSpec& spec, WorkloadStage stage = {}) {
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
  EXPECT_EQ(result.sample.output, "2026\nspeed: 42.5\n");
  EXPECT_EQ(RunOnce(SpecOf("printf 'speed: 1'; echo slow >&2")).sample.output,
            "speed: 1\nerrors:\nslow\n");
}

TEST(WorkloadRunnerTest, AMissingMetricFailsWithTheOutputAsEvidence) {
  const RunResult result = RunOnce(SpecOf("echo 12345; echo oh dear >&2"));
  EXPECT_EQ(result.outcome, Outcome::kWrong);
  EXPECT_THAT(result.reason,
              testing::StartsWith("metric speed: the output has no line \"speed: value\" or "
                                  "\"speed = value\"; lines with a number: \"12345\". Say which"));
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

TEST(WorkloadRunnerTest, ABenchmarkThatCannotBeRunIsAnOutcomeToo) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder.has_value());
  const std::string script = folder->path() / "bench.py";
  ASSERT_TRUE(WriteFileAtomically(script, "#!/no/such/python\nprint('speed: 1')\n").has_value());
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  WorkloadSpec spec = SpecOf("");
  spec.benchmark.arguments = {script};
  const RunResult result = RunOnce(spec);
  EXPECT_EQ(result.outcome, Outcome::kCrashed);
  EXPECT_EQ(result.reason, "the benchmark cannot be run: " + script +
                               ": its first line names /no/such/python, which is not there: "
                               "install it, or change the line");
  spec = SpecOf("echo speed: 1");
  spec.before_run = {spec.benchmark};
  spec.before_run[0].arguments = {"/no/such/flush"};
  EXPECT_EQ(RunOnce(spec).reason,
            "before_run 0 cannot be run: /no/such/flush: no such program: is it installed?");
  spec.setup = std::exchange(spec.before_run, {});
  EXPECT_EQ(RunOnce(spec).reason,
            "/setup/0 cannot be run: /no/such/flush: no such program: is it installed?");
}

TEST(WorkloadRunnerTest, TheShortestLimitHolds) {
  WorkloadSpec spec = SpecOf("sleep 1000");
  spec.budget.run_timeout = milliseconds{100};
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
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_THAT(result.evidence[1].text, HasSubstr(" " + self.native() + " in-127.0.0.1\n/"));
}

TEST(WorkloadRunnerTest, ThePrefixStandsBeforeTheBenchmark) {
  WorkloadSpec spec = SpecOf("echo speed: $FROM_PREFIX");
  WorkloadStage stage;
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
  spec.setup = {ShellOfRun("echo setup >> " + log), ShellOfRun("echo speed: 5 > {folder}/made")};
  spec.teardown = {ShellOfRun("echo teardown >> " + log), ShellOfRun("echo {folder} >> " + log)};
  EXPECT_EQ(RunOnce(spec).sample.metrics.at("speed").value, 5);
  const std::string text = ReadFile(log).value_or("");
  EXPECT_THAT(text, testing::StartsWith("setup\nbench\nteardown\n/"));
  const std::string scratch = text.substr(text.find('/'), text.rfind('\n') - text.find('/'));
  EXPECT_FALSE(std::filesystem::exists(scratch)) << scratch;
}

TEST(WorkloadRunnerTest, AfterAFailedSetupEveryRunSaysSoAndTheTeardownStillRuns) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder.has_value());
  const std::string log = folder->path() / "log";
  WorkloadSpec spec = SpecOf("true");
  spec.setup = {ShellOfRun("true"), ShellOfRun("echo no space >&2; exit 3")};
  spec.teardown = {ShellOfRun("echo teardown > " + log)};
  const RunResult result = RunOnce(spec);
  EXPECT_EQ(result.outcome, Outcome::kCrashed);
  EXPECT_EQ(result.reason, "/setup/1 (/bin/sh) exited with status 3");
  EXPECT_THAT(result.evidence, testing::ElementsAre(Evidence{"/setup/1: errors", "no space\n"}));
  EXPECT_EQ(ReadFile(log).value_or(""), "teardown\n");
}

TEST(WorkloadRunnerTest, ObservationsAreChangesOverTheRun) {
  const RunResult result =
      RunOnce(SpecOf("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo speed: 1"));
  ASSERT_EQ(result.outcome, Outcome::kAccepted) << result.reason;
  const auto& seen = result.sample.observations;
  for (const char* name : {"cpu_user", "cpu_system", "cpu_iowait", "memory_available_change_mib",
                           "context_switches_per_s", "network_receive_mib_per_s", "stability"}) {
    EXPECT_TRUE(seen.contains(name)) << name;
  }
  EXPECT_GE(seen.at("stability"), 0);
  EXPECT_LE(seen.at("stability"), 1);
  EXPECT_GT(seen.at("forks_per_s"), 0);
}

double SecondsCounted(const RunResult& result) {
  const auto& seen = result.sample.observations;
  return seen.contains("cpu_time_s") ? seen.at("cpu_time_s") : 0;
}

TEST(WorkloadRunnerTest, WhatBenchmarkAndServiceDoIsCountedAndWhatPreparesThemIsNot) {
  const std::string busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; ";
  const double of_benchmark = SecondsCounted(RunOnce(SpecOf(busy + "echo speed: 1")));
  WorkloadSpec spec = SpecOf("echo speed: 1");
  spec.before_run = {ShellOfRun(busy)};
  EXPECT_LT(SecondsCounted(RunOnce(spec)), of_benchmark / 2);

  // A service that works long at its start, and in the run because it is told to.
  spec = SpecOf("echo go > {folder}/pipe; read a < {folder}/pipe; echo speed: 1");
  spec.service.emplace();
  spec.service->start = ShellOfRun(busy + busy + busy + busy +
                                   "mkfifo {folder}/pipe; while read a < {folder}/pipe; do " +
                                   busy + "echo done > {folder}/pipe; done");
  spec.service->ready = ShellOfRun("test -p {folder}/pipe");
  const auto runner = Opened(spec);
  for (int i = 0; i < 2; ++i) {
    const double of_both = SecondsCounted(*runner->Run({}));
    EXPECT_GT(of_both, of_benchmark / 2);
    EXPECT_LT(of_both, 3 * of_benchmark);
  }
}

TEST(WorkloadRunnerTest, BeforeEveryRunComesWhatTheSpecSays) {
  WorkloadSpec spec = SpecOf("echo speed: $(wc -l < {folder}/count)");
  spec.before_run = {ShellOfRun("echo x >> {folder}/count")};
  const auto runner = Opened(spec);
  EXPECT_EQ(runner->Run({})->sample.metrics.at("speed").value, 1);
  EXPECT_EQ(runner->Run({})->sample.metrics.at("speed").value, 2);
  spec.before_run = {ShellOfRun("exit 0"), ShellOfRun("echo no >&2; exit 2")};
  const RunResult result = RunOnce(spec);
  EXPECT_EQ(result.outcome, Outcome::kCrashed);
  EXPECT_EQ(result.reason, "before_run 1 exited with status 2");
}

TEST(WorkloadRunnerTest, ReadingATunedParameterBeforeTheRunIsSeenToo) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to see who opens a file";
  const std::string path = "/proc/sys/vm/swappiness";
  WorkloadSpec spec = SpecOf("echo speed: 1");
  spec.before_run = {ShellOfRun("read p < " + path + "; sleep 0.1")};
  WorkloadRun run;
  run.watched_paths = {path};
  EXPECT_THAT(RunOnce(spec, run).sample.marks,
              testing::ElementsAre("suspicious: the benchmark opened vm.swappiness"));
}

// Answers each line that comes in `ask` when it has run the text.
ServiceSpec ServiceThatAnswers(const std::string& at_start, const std::string& text) {
  ServiceSpec service;
  service.start =
      ShellOfRun(at_start + "; mkfifo {folder}/ask {folder}/answer; while :; do " +
                 "read a < {folder}/ask; " + text + "; echo done > {folder}/answer; done");
  service.ready = ShellOfRun("test -p {folder}/answer");
  return service;
}

constexpr const char* kAsk = "echo go > {folder}/ask; read a < {folder}/answer; ";

TEST(WorkloadRunnerTest, ATunedParameterThatTheServiceReadsDuringTheRunIsSeenToo) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to see who opens a file";
  const std::string path = "/proc/sys/vm/swappiness";
  WorkloadSpec spec = SpecOf(std::string(kAsk) + "sleep 0.1; echo speed: 1");
  spec.service = ServiceThatAnswers("true", "read p < " + path);
  WorkloadRun run;
  run.watched_paths = {path};
  const auto runner = Opened(spec);
  for (int i = 0; i < 2; ++i) {
    const auto result = runner->Run(run);
    ASSERT_TRUE(result.has_value()) << result.error().message;
    EXPECT_THAT(result->sample.marks,
                testing::ElementsAre("suspicious: the service opened vm.swappiness"));
    ASSERT_FALSE(result->evidence.empty());
    EXPECT_EQ(result->evidence.back().text, "vm.swappiness: once, by sh\n");
  }
}

TEST(WorkloadRunnerTest, AServiceMayReadParametersAtItsStartAndWhenItIsToldToBeforeTheRun) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to see who opens a file";
  const std::string path = "/proc/sys/vm/swappiness";
  WorkloadSpec spec = SpecOf("sleep 0.1; echo speed: 1");
  spec.service = ServiceThatAnswers("read p < " + path, "read p < " + path);
  WorkloadRun run;
  run.watched_paths = {path};
  EXPECT_THAT(RunOnce(spec, run).sample.marks, testing::IsEmpty());
  spec.before_run = {ShellOfRun(kAsk)};
  EXPECT_THAT(RunOnce(spec, run).sample.marks, testing::IsEmpty());
}

TEST(WorkloadRunnerTest, TheServiceRunsAroundTheBenchmark) {
  WorkloadSpec spec = SpecOf("test -e {folder}/up && echo speed: 3");
  spec.service.emplace();
  spec.service->start = ShellOfRun("touch {folder}/up; exec sleep 1000");
  spec.service->ready = ShellOfRun("test -e {folder}/up");
  EXPECT_EQ(RunOnce(spec).sample.metrics.at("speed").value, 3);
  spec.service->start = ShellOfRun("exit 1");
  spec.service->ready = ShellOfRun("false");
  const RunResult result = RunOnce(spec);
  EXPECT_EQ(result.outcome, Outcome::kCrashed);
  EXPECT_EQ(result.reason, "the service exited with status 1 before it could serve");
}

TEST(WorkloadRunnerTest, AServiceThatDiesMeanwhileFailsTheRun) {
  WorkloadSpec spec = SpecOf("echo speed: 3; rm {folder}/up; sleep 0.5");
  spec.service.emplace();
  spec.service->start =
      ShellOfRun("touch {folder}/up; while test -e {folder}/up; do sleep 0.01; done; exit 4");
  spec.service->ready = ShellOfRun("test -e {folder}/up");
  const RunResult result = RunOnce(spec);
  EXPECT_EQ(result.outcome, Outcome::kCrashed);
  EXPECT_EQ(result.reason, "the service exited with status 4 during the run");
}

TEST(WorkloadRunnerTest, ABrokenLiveLimitEndsTheRunAtOnce) {
  WorkloadSpec spec = SpecOf("echo speed: 50; echo speed: 5; sleep 1000; echo speed: 60");
  spec.tripwires.live_limits = {Limit{"speed", false, 10, false}};
  std::string why;
  WorkloadRun run;
  run.on_trip = [&](const std::string& text) { why = text; };
  const RunResult result = RunOnce(spec, run);
  EXPECT_EQ(result.outcome, Outcome::kRejected);
  EXPECT_EQ(why, "live: speed was 5, the limit is speed >= 10");
  EXPECT_EQ(result.reason, "tripwire " + why);
  EXPECT_TRUE(result.sample.metrics.empty());
  EXPECT_LT(result.sample.duration, std::chrono::seconds(30));
}

TEST(WorkloadRunnerTest, AColdCacheIsHadOrRefused) {
  WorkloadSpec spec = SpecOf("echo speed: 3");
  spec.page_cache = PageCache::kCold;
  if (::access("/proc/sys/vm/drop_caches", W_OK) == 0) {
    EXPECT_TRUE(CheckOnThisMachine(spec).has_value());
    EXPECT_EQ(RunOnce(spec).outcome, Outcome::kAccepted);
    return;
  }
  EXPECT_THAT(CheckOnThisMachine(spec).error().message, HasSubstr("run as root, or say"));
  EXPECT_THAT(Opened(spec)->Run({}).error().message, HasSubstr("run as root, or say"));
}

// The older autotuner's own demonstration did this.
TEST(WorkloadRunnerTest, ABenchmarkThatComputesItsScoreFromTheParameterIsSuspicious) {
  WorkloadRun run;
  run.watched_paths = {"/proc/sys/vm/swappiness"};
  const RunResult fake = RunOnce(
      SpecOf("read v < /proc/sys/vm/swappiness; sleep 0.1; echo speed: $((1000 - v))"), run);
  EXPECT_EQ(fake.outcome, Outcome::kAccepted) << fake.reason;
  ASSERT_FALSE(fake.sample.marks.empty());
  EXPECT_THAT(fake.sample.marks[0], testing::StartsWith("suspicious: "));
  EXPECT_THAT(fake.sample.marks[0], HasSubstr("vm.swappiness"));
  ASSERT_FALSE(fake.evidence.empty());
  EXPECT_EQ(fake.evidence.back().what, "tuned parameters opened during the run");
  EXPECT_THAT(fake.evidence.back().text, testing::StartsWith("vm.swappiness: "));
}

TEST(WorkloadRunnerTest, AnHonestBenchmarkIsNotSuspicious) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root: else others cannot be told from the benchmark";
  WorkloadRun run;
  run.watched_paths = {"/proc/sys/vm/swappiness"};
  EXPECT_THAT(RunOnce(SpecOf("echo speed: 1000"), run).sample.marks, testing::IsEmpty());
}

TEST(WorkloadRunnerTest, WhatCannotBeWatchedIsSaidOnce) {
  WorkloadStage stage;
  stage.network_namespace = "/proc/self/ns/no-such-namespace";
  const auto runner = Opened(SpecOf("echo speed: 1"), stage);
  const auto first = runner->Run({});
  ASSERT_TRUE(first.has_value()) << first.error().message;
  ASSERT_EQ(first->evidence.size(), 1u);
  EXPECT_EQ(first->evidence[0].what, "tuned parameters whose opening cannot be seen");
  EXPECT_THAT(runner->Run({})->evidence, testing::IsEmpty());
}

TEST(WorkloadRunnerTest, BlindSpotsAreNamed) {
  const WorkloadSpec spec = SpecOf("true");
  EXPECT_EQ(BlindSpots(spec).empty(), ::getuid() == 0);
}

}  // namespace
}  // namespace hone::sysctl
