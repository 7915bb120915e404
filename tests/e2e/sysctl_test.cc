// SPDX-License-Identifier: Apache-2.0
// Campaigns on a running kernel, through the real binary: on this host as root, and in private
// network namespaces.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <stop_token>
#include <thread>

#include "hone/base/file.h"
#include "hone/domains/sysctl/kernel/snapshot.h"
#include "hone/testing/host_parameters_lock.h"
#include "hone/testing/wait_until.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using sysctl::ChangesBetween;
using sysctl::Snapshot;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kPressure = "/proc/sys/vm/vfs_cache_pressure";

// Harmless parameters, and a benchmark whose score has nothing to do with them.
std::string HostWorkload(const std::string& benchmark = R"sh(echo "score: 10$(($$ % 10))")sh") {
  return Json{
      {"name", "harmless"},
      {"description", "A benchmark that takes no time."},
      {"benchmark", {{"shell", benchmark}}},
      {"metrics", {{{"name", "score"}, {"unit", "points"}, {"direction", "higher_is_better"}}}},
      {"parameters", {"vm.vfs_cache_pressure", "vm.stat_interval"}}}
      .dump();
}

std::string NamespaceWorkload(int number) {
  return Json{
      {"name", "private"},
      {"description", "TCP parameters that only a private namespace sees."},
      {"target", "namespace"},
      {"benchmark", {{"shell", R"sh(echo "score: 10$(($$ % 10))")sh"}}},
      {"metrics", {{{"name", "score"}, {"unit", "points"}, {"direction", "higher_is_better"}}}},
      {"parameters",
       {{{"name", "net.ipv4.tcp_notsent_lowat"},
         {"low", 20'000 + 1000 * number},
         {"high", 90'000 + 1000 * number}},
        "net.ipv4.tcp_autocorking"}}}
      .dump();
}

std::vector<sysctl::Change> Difference(const Snapshot& before) {
  const auto files = sysctl::MakeHostFiles();
  return ChangesBetween(before, Snapshot::Take(*files));
}

class SysctlCampaignTest : public HoneTest {
 protected:
  SysctlCampaignTest() { ::setenv("HONE_STATE", (Folder() / "state").c_str(), 1); }

  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "changing the host's parameters needs root";
    before_ = Snapshot::Take(*files_);
  }

  // Whatever a test did wrong is put right here, and the test fails for it.
  void TearDown() override {
    for (const auto& change : ChangesBetween(before_, Snapshot::Take(*files_))) {
      ADD_FAILURE() << change.path << ": was " << change.before << ", is " << change.after;
      static_cast<void>(files_->Write(change.path, change.before));
    }
  }

  std::string File(const std::string& name, const std::string& text) const {
    const auto path = Folder() / name;
    EXPECT_TRUE(WriteFileDurably(path, text));
    return path.string();
  }

  std::vector<std::string> Tune(const std::string& file, int trials = 6) const {
    return {"tune", file, "--yes", "--engine", "random", "--trials", std::to_string(trials)};
  }

  // In the middle of its search when this returns.
  Live StartLong(const std::string& file) const {
    return Start(Tune(file, 4000), [this] { return CountDecisions() >= 6; });
  }

  const sysctl::HostParametersLock lock_;
  const std::unique_ptr<sysctl::KernelFiles> files_ = sysctl::MakeHostFiles();
  Snapshot before_;
};

TEST_F(SysctlCampaignTest, ACampaignSaysWhatItTouchesAndPutsItBack) {
  const ProcessResult tuned = Run(Tune(File("w.json", HostWorkload())));
  ASSERT_LE(tuned.status, 1) << tuned.output << tuned.errors;
  EXPECT_THAT(tuned.errors, HasSubstr("vm.vfs_cache_pressure"));
  EXPECT_THAT(tuned.errors, HasSubstr("journal"));
  EXPECT_THAT(tuned.output, HasSubstr("Everything is back: all 2 parameters"));
  EXPECT_THAT(Run({"show", "last"}).output, HasSubstr("Everything is back"));
}

TEST_F(SysctlCampaignTest, AComparisonSetsBothSidesAndPutsEverythingBack) {
  const std::string a = File("a.conf", "vm.vfs_cache_pressure = 90\n");
  const std::string b =
      File("tuned.conf", "[main]\nsummary=x\n[sysctl]\nvm.vfs_cache_pressure=120\n");
  const ProcessResult compared = Run({"compare", a, b, "--on", File("w.json", HostWorkload()),
                                      "--yes", "--pairs", "12", "--json"});
  ASSERT_LE(compared.status, 1) << compared.output << compared.errors;
  EXPECT_THAT(compared.errors, HasSubstr("journal"));
  const auto json = ParseJson(compared.output, "compare");
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ(json->at("runs"), 2 * (10 + 12));
  EXPECT_TRUE(json->contains("answer"));
  EXPECT_THAT(json->at("aftermath").get<std::string>(), HasSubstr("Everything is back"));
}

TEST_F(SysctlCampaignTest, AfterAGainTheNextStepsCanBeTypedAsTheyStand) {
  const std::string benchmark =
      "echo \"score: $(cat /proc/sys/vm/vfs_cache_pressure)$(($$ % 10))\"";
  const ProcessResult compared =
      Run({"compare", "now", File("b.conf", "vm.vfs_cache_pressure = 150\n"), "--on",
           File("w.json", HostWorkload(benchmark)), "--yes", "--quiet", "--pairs", "12"});
  EXPECT_EQ(compared.status, 5) << "it reads what is compared: " << compared.output;
  EXPECT_THAT(compared.output,
              HasSubstr("hone export harmless-1 --as sysctl.d -o harmless-1.conf"));
  const std::string file = (Folder() / "harmless-1.conf").string();
  ASSERT_EQ(Run({"export", "harmless-1", "--as", "sysctl.d", "-o", file}).status, 0);
  EXPECT_EQ(Run({"sysctl", "diff", file}).status, 1) << "it is not in force";
}

TEST_F(SysctlCampaignTest, WhatIsDeniedIsNeverCompared) {
  const ProcessResult refused = Run({"compare", "now", File("b.conf", "vm.drop_caches = 3\n"),
                                     "--on", File("w.json", HostWorkload()), "--yes"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("vm.drop_caches"));
}

TEST_F(SysctlCampaignTest, WithoutAYesNothingStarts) {
  const ProcessResult asked = Run({"tune", File("w.json", HostWorkload())});
  EXPECT_EQ(asked.status, 1);
  EXPECT_THAT(asked.errors, HasSubstr("--yes"));
  EXPECT_THAT(Run({"runs"}).output, Not(HasSubstr("harmless-1")));
}

TEST_F(SysctlCampaignTest, HowASentenceWasUnderstoodIsSaidOnce) {
  for (const bool is_dry : {false, true}) {
    std::vector<std::string> words{"tune", "optimise for memory-intensive workloads"};
    if (is_dry) words.insert(words.end(), {"--dry-run", "--no-preflight"});
    const ProcessResult told = Run(words);
    EXPECT_EQ(told.status, is_dry ? 0 : 1) << told.errors;
    const std::string text = is_dry ? told.output : told.errors;
    const auto first = text.find("Understood: ");
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_EQ(text.find("Understood: ", first + 1), std::string::npos) << text;
  }
}

TEST_F(SysctlCampaignTest, ADryRunShowsTheWritesRehearsesAndTouchesNothing) {
  const ProcessResult dry = Run({"tune", File("w.json", HostWorkload()), "--dry-run"});
  ASSERT_EQ(dry.status, 0) << dry.errors;
  EXPECT_THAT(dry.output, HasSubstr("One real run, with nothing changed\n  score"));
  EXPECT_THAT(dry.output, HasSubstr("vm.stat_interval"));
  EXPECT_THAT(dry.output, HasSubstr("safe"));
  EXPECT_THAT(dry.output, HasSubstr("Rehearsal"));
  EXPECT_THAT(dry.output, HasSubstr("no parameter was touched"));
}

TEST_F(SysctlCampaignTest, ABudgetThatIsTooShortIsSaidBeforeTheStartByARunOfTheBenchmark) {
  Json workload = ParseJson(HostWorkload("sleep 0.2; echo score: 100"), "workload").value();
  workload["budget"] = {{"gate_pairs", 6}};
  const std::string file = File("w.json", workload.dump());
  const std::string division = "  budget    2.0 s: at about 0.";
  const ProcessResult dry = Run({"tune", file, "--budget", "2s", "--dry-run"});
  EXPECT_EQ(dry.status, 0) << dry.errors;
  EXPECT_THAT(dry.output, HasSubstr("it is divided is said after one run with nothing changed\n"));
  EXPECT_THAT(dry.output, HasSubstr(division));
  EXPECT_THAT(dry.output, HasSubstr(" s a run, too short: at 0."));
  EXPECT_THAT(dry.output, HasSubstr("runs of 0."));
  EXPECT_THAT(RunJson({"tune", file, "--budget", "2s", "--dry-run"}).at("budget"),
              HasSubstr("too short"));
  for (const bool is_tried : {true, false}) {
    std::vector<std::string> words = Tune(file);
    words.insert(words.end(), {"--budget", "2s"});
    if (!is_tried) words.emplace_back("--no-preflight");
    const ProcessResult tuned = Run(words);
    EXPECT_EQ(tuned.status, 4) << tuned.output << tuned.errors;
    const std::string before = tuned.errors.substr(0, tuned.errors.find("Stored as "));
    EXPECT_EQ(before.find(division) != std::string::npos, is_tried) << tuned.errors;
  }
}

constexpr const char* kBroken = "echo so far; echo 'no such table: t' >&2; exit 3";

TEST_F(SysctlCampaignTest, ADryRunTriesTheBenchmarkUnlessToldNotTo) {
  const std::string file = File("w.json", HostWorkload(kBroken));
  const ProcessResult dry = Run({"tune", file, "--dry-run"});
  EXPECT_EQ(dry.status, 6) << dry.errors;
  EXPECT_THAT(dry.output, HasSubstr("the benchmark exited with status 3"));
  EXPECT_THAT(dry.output, HasSubstr("no such table: t"));
  EXPECT_EQ(Run({"tune", file, "--dry-run", "--no-preflight"}).status, 0);
}

TEST_F(SysctlCampaignTest, ABenchmarkThatDoesNotRunIsSaidWithWhatItPrinted) {
  const ProcessResult tuned = Run(Tune(File("w.json", HostWorkload(kBroken))));
  EXPECT_EQ(tuned.status, 6) << tuned.output << tuned.errors;
  EXPECT_THAT(tuned.output, HasSubstr("Does not run: With nothing changed, the benchmark exited "
                                      "with status 3 (crashed)."));
  EXPECT_THAT(tuned.output, HasSubstr("benchmark: errors\n  no such table: t\n"));
  EXPECT_THAT(tuned.output + tuned.errors, Not(HasSubstr("hone resume")));
  EXPECT_THAT(Run({"show", "last"}).output, HasSubstr("no such table: t"));
  EXPECT_THAT(Run({"export", "last"}).output, HasSubstr("no such table: t"));
  EXPECT_THAT(Run({"runs"}).output, Not(HasSubstr("unfinished")));
  EXPECT_EQ(Run({"resume", "last"}).status, 6);
}

TEST_F(SysctlCampaignTest, ASetupThatFailsIsSaidTheSameWay) {
  Json workload = ParseJson(HostWorkload(), "workload").value();
  workload["setup"] = {{{"shell", "echo disk full >&2; exit 1"}}};
  const ProcessResult tuned = Run(Tune(File("w.json", workload.dump())));
  EXPECT_EQ(tuned.status, 6) << tuned.output << tuned.errors;
  EXPECT_THAT(tuned.output, HasSubstr("/setup/0"));
  EXPECT_THAT(tuned.output, HasSubstr("disk full"));
  EXPECT_THAT(tuned.output + tuned.errors, Not(HasSubstr("abandoned")));
}

TEST_F(SysctlCampaignTest, ABenchmarkThatDiesLaterDoesNotRunEitherAndIsSaidTheSameWay) {
  const std::string dies_at_30 =
      "echo x >> " + (Folder() / "runs").string() + "; [ $(wc -l < " +
      (Folder() / "runs").string() +
      ") -lt 30 ] || { echo 'no such table: t' >&2; exit 3; }; echo score: 10$(($$ % 10))";
  const ProcessResult tuned = Run(Tune(File("w.json", HostWorkload(dies_at_30))));
  EXPECT_EQ(tuned.status, 6) << tuned.output << tuned.errors;
  EXPECT_THAT(tuned.output, HasSubstr("Does not run: With nothing changed, the benchmark exited "
                                      "with status 3 (crashed)."));
  EXPECT_THAT(tuned.output, HasSubstr("It ran in the gate, and stopped running later"));
  EXPECT_THAT(tuned.output, HasSubstr("benchmark: errors\n  no such table: t\n"));
  for (const char* const word : {"abandoned", "task ", "hone resume"}) {
    EXPECT_THAT(tuned.output + tuned.errors, Not(HasSubstr(word)));
  }
  EXPECT_THAT(Run({"show", "last"}).output, HasSubstr("no such table: t"));
  EXPECT_THAT(Run({"export", "last"}).output, HasSubstr("no such table: t"));
  EXPECT_EQ(Run({"replay", "last"}).status, 0);
  EXPECT_EQ(Run({"resume", "last"}).status, 6);
}

TEST_F(SysctlCampaignTest, ABenchmarkThatCannotBeStartedDoesNotRun) {
  const std::string script = File("bench.py", "#!/no/such/python\nprint('score: 1')\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  Json workload = ParseJson(HostWorkload(), "workload").value();
  workload["benchmark"] = {script};
  const std::string file = File("w.json", workload.dump());
  const std::string why = "its first line names /no/such/python, which is not there";
  const ProcessResult tuned = Run(Tune(file));
  EXPECT_EQ(tuned.status, 6) << tuned.output << tuned.errors;
  EXPECT_THAT(tuned.output, HasSubstr(why));
  EXPECT_THAT(tuned.output + tuned.errors, Not(HasSubstr("hone resume")));
  const ProcessResult dry = Run({"tune", file, "--dry-run"});
  EXPECT_EQ(dry.status, 6) << dry.errors;
  EXPECT_THAT(dry.output, HasSubstr(why));
}

// Not through RunProcess, which would end the guardian together with the tuner.
pid_t SpawnPlainly(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = -1;
  return ::posix_spawn(&pid, arguments[0], nullptr, nullptr, arguments.data(), environ) == 0 ? pid
                                                                                             : -1;
}

TEST_F(SysctlCampaignTest, AKilledCampaignLeavesTheHostAsItWasAndGoesOn) {
  std::vector<std::string> words = Tune(File("w.json", HostWorkload()), 4000);
  words.emplace_back("--quiet");
  const pid_t pid = SpawnPlainly(CommandFor(words));
  ASSERT_GT(pid, 0);
  const auto pause = std::chrono::milliseconds(20);
  for (int i = 0; i < 3000 && CountDecisions() < 6; ++i) std::this_thread::sleep_for(pause);
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  ::waitpid(pid, nullptr, 0);
  for (int i = 0; i < 500 && !Difference(before_).empty(); ++i) std::this_thread::sleep_for(pause);
  EXPECT_THAT(Difference(before_), IsEmpty());
  EXPECT_THAT(Run({"runs"}).output, HasSubstr("hone resume"));
}

TEST_F(SysctlCampaignTest, AKilledComparisonLeavesTheHostAsItWas) {
  const pid_t pid = SpawnPlainly(
      CommandFor({"compare", "now", File("b.conf", "vm.vfs_cache_pressure = 120\n"), "--on",
                  File("w.json", HostWorkload()), "--yes", "--quiet", "--pairs", "4000"}));
  ASSERT_GT(pid, 0);
  WaitUntil([this] { return CountDecisions() >= 3; }, "pairs are made");
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  ::waitpid(pid, nullptr, 0);
  WaitUntil([this] { return Difference(before_).empty(); }, "the guardian has put all back");
  EXPECT_THAT(Run({"show", "last"}).output, HasSubstr("Unfinished"));
  EXPECT_THAT(Run({"runs"}).output, HasSubstr("hone resume"));
}

// Of all its threads.
std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::vector<pid_t> children;
  const auto threads = std::filesystem::path("/proc") / std::to_string(pid) / "task";
  for (const auto& thread : std::filesystem::directory_iterator(threads)) {
    std::ifstream list(thread.path() / "children");
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

// Ends a tuner that has a candidate in force, and its guardian before that can put anything back.
void KillWithGuardian(pid_t tuner, const std::function<bool()>& is_in_force) {
  WaitUntil(
      [&] {
        ::kill(tuner, SIGSTOP);
        if (is_in_force()) return true;
        ::kill(tuner, SIGCONT);
        return false;
      },
      "a candidate is in force");
  for (const pid_t child : ChildrenOf(tuner)) ::kill(child, SIGKILL);
  ::kill(tuner, SIGKILL);
  ::waitpid(tuner, nullptr, 0);
}

class KilledTunerTest : public SysctlCampaignTest {
 protected:
  // Of a campaign of the file nothing is left but a value that it tried.
  void LeaveBehind(const std::string& file) {
    std::vector<std::string> words = Tune(file, 4000);
    words.emplace_back("--quiet");
    const pid_t tuner = SpawnPlainly(CommandFor(words));
    ASSERT_GT(tuner, 0);
    const std::string before = before_.texts().at(kPressure);
    KillWithGuardian(tuner, [&] { return files_->Read(kPressure).value_or(before) != before; });
    const std::string left = files_->Read(kPressure).value_or("");
    ASSERT_NE(left, before);
    put_back_ = fmt::format(
        "a killed tuner had left vm.vfs_cache_pressure = {}; it is put back to "
        "{}",
        left, before);
  }

  const std::string workload_ = HostWorkload("sleep 0.2; echo score: 10$(($$ % 10))");
  std::string put_back_;  // What the next start says.
};

TEST_F(KilledTunerTest, TheNextStartSaysWhatItPutBack) {
  const std::string file = File("w.json", workload_);
  ASSERT_NO_FATAL_FAILURE(LeaveBehind(file));
  EXPECT_THAT(Run({"doctor"}).output, HasSubstr("a tuner was killed together with its guardian"));
  EXPECT_THAT(Run({"tune", file, "--dry-run", "--no-preflight"}).output,
              HasSubstr("a tuner was killed together with its guardian"));
  EXPECT_THAT(RunJson({"tune", file, "--dry-run", "--no-preflight"}).at("journal"),
              HasSubstr("a tuner was killed together with its guardian"));
  const ProcessResult next = Run(Tune(file, 1));
  EXPECT_THAT(next.errors, HasSubstr(put_back_));
  EXPECT_THAT(Difference(before_), IsEmpty());
}

TEST_F(KilledTunerTest, AResumptionSaysWhatItPutBack) {
  ASSERT_NO_FATAL_FAILURE(LeaveBehind(File("w.json", workload_)));
  const std::size_t decisions = CountDecisions();
  Live resumed = Start({"resume", "last"}, [&] { return CountDecisions() > decisions; });
  ::kill(resumed.pid, SIGINT);
  WaitUntil([&] { return ::kill(resumed.pid, SIGINT) != 0; }, "it has stopped at once");
  EXPECT_THAT(resumed.result.get().errors, HasSubstr(put_back_));
  EXPECT_THAT(Difference(before_), IsEmpty());
}

TEST_F(KilledTunerTest, AComparisonWithNowIsOneWithWhatWasPutBack) {
  const std::string file = File("w.json", workload_);
  ASSERT_NO_FATAL_FAILURE(LeaveBehind(file));
  const std::string left = files_->Read(kPressure).value_or("");
  const ProcessResult compared =
      Run({"compare", "now", File("b.conf", "vm.vfs_cache_pressure = " + left + "\n"), "--on", file,
           "--yes", "--pairs", "12"});
  EXPECT_LE(compared.status, 1) << compared.output << compared.errors;
  EXPECT_THAT(compared.errors, HasSubstr(put_back_));
  EXPECT_THAT(Difference(before_), IsEmpty());
}

TEST_F(KilledTunerTest, AComparisonThatIsRefusedSaysWhatItPutBack) {
  const std::string file = File("w.json", workload_);
  ASSERT_NO_FATAL_FAILURE(LeaveBehind(file));
  const std::string same = "vm.vfs_cache_pressure = " + before_.texts().at(kPressure) + "\n";
  const ProcessResult compared =
      Run({"compare", "now", File("b.conf", same), "--on", file, "--yes"});
  EXPECT_EQ(compared.status, 2) << compared.output << compared.errors;
  EXPECT_THAT(compared.errors, HasSubstr("nothing to compare"));
  EXPECT_THAT(compared.errors, HasSubstr(put_back_));
}

// Looks at a parameter again and again while something else runs.
class ParameterWatch {
 public:
  explicit ParameterWatch(const char* path)
      : thread_([this, path](const std::stop_token& stop) {
          do {
            seen_.insert(ReadFile(path).value_or(""));
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          } while (!stop.stop_requested());
        }) {}

  std::set<std::string> Finish() {
    thread_.request_stop();
    thread_.join();
    return seen_;
  }

 private:
  std::set<std::string> seen_;
  std::jthread thread_;
};

// The full form, with every kind of campaign and all of sysctl, is bench/kills.
TEST_F(SysctlCampaignTest, WhatAKilledCampaignLeftIsRunByNobodyButItsResumption) {
  const auto runs = Folder() / "runs";
  const std::string benchmark =
      "echo x >> " + runs.string() + "; sleep 0.1; echo \"score: 10$(($$ % 10))\"";
  std::vector<std::string> words = Tune(File("w.json", HostWorkload(benchmark)), 4000);
  words.insert(words.end(), {"--quiet", "--lease", "500ms"});
  const pid_t pid = SpawnPlainly(CommandFor(words));
  ASSERT_GT(pid, 0);
  WaitUntil([&] { return CountDecisions() >= 3; }, "the campaign is in its search");
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  ::waitpid(pid, nullptr, 0);
  WaitUntil([&] { return Difference(before_).empty(); }, "the guardian has put everything back");

  const auto runs_before = std::filesystem::file_size(runs);
  ParameterWatch watch(kPressure);
  // It lasts much longer than the lease of the task that was left.
  EXPECT_LE(Run({"tune", "toy", "--trials", "4", "-o", "duration_ms=10"}).status, 1);
  EXPECT_EQ(watch.Finish().size(), 1U);
  EXPECT_EQ(std::filesystem::file_size(runs), runs_before);

  const pid_t resumed = SpawnPlainly(CommandFor({"resume", "harmless-1", "--quiet"}));
  ASSERT_GT(resumed, 0);
  WaitUntil([&] { return std::filesystem::file_size(runs) > runs_before; }, "it goes on");
  ASSERT_EQ(::kill(resumed, SIGKILL), 0);
  ::waitpid(resumed, nullptr, 0);
  WaitUntil([&] { return Difference(before_).empty(); }, "everything is back once more");
}

TEST_F(SysctlCampaignTest, SomebodyElsesChangeStopsTheCampaignAndStays) {
  Live live = StartLong(File("w.json", HostWorkload()));
  // One write may fall between a look and a write of ours, and is overwritten unseen; they insist.
  const auto pause = std::chrono::milliseconds(50);
  while (live.result.wait_for(pause) != std::future_status::ready) {
    ASSERT_TRUE(files_->Write(kPressure, "4711"));
  }
  const ProcessResult ended = live.result.get();
  EXPECT_EQ(ended.status, 3) << ended.output << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("vm.vfs_cache_pressure"));
  EXPECT_THAT(ended.errors, HasSubstr("NOT as before: vm.vfs_cache_pressure = 4711"));
  EXPECT_EQ(files_->Read(kPressure).value_or(""), "4711");
  ASSERT_TRUE(files_->Write(kPressure, before_.texts().at(kPressure)));
}

TEST_F(SysctlCampaignTest, ASecondTunerIsRefusedWithTheNameOfTheFirst) {
  const std::string file = File("w.json", HostWorkload());
  Live live = StartLong(file);
  const ProcessResult second = Run(Tune(file));
  EXPECT_EQ(second.status, 3);
  EXPECT_THAT(second.errors, HasSubstr(std::to_string(live.pid)));
  ::kill(live.pid, SIGKILL);
  live.result.wait();
  EXPECT_LE(Run(Tune(file)).status, 1);  // Restores first what the first one may have left.
}

TEST_F(SysctlCampaignTest, ABenchmarkThatReadsWhatIsTunedIsSuspicious) {
  const std::string fake = R"sh(read p < /proc/sys/vm/vfs_cache_pressure; echo "score: $p")sh";
  const ProcessResult tuned = Run(Tune(File("w.json", HostWorkload(fake))));
  ASSERT_EQ(tuned.status, 5) << tuned.errors;
  EXPECT_THAT(tuned.output, testing::StartsWith("Suspicious: "));
  EXPECT_THAT(tuned.output, HasSubstr("the benchmark opened vm.vfs_cache_pressure"));
  for (const std::string form : {"sysctl.d", "script", "tuned", "json"}) {
    EXPECT_THAT(Run({"export", "last", "--as", form}).output,
                HasSubstr("the benchmark opened vm.vfs_cache_pressure"))
        << form;
  }
}

TEST_F(SysctlCampaignTest, TheOlderAutotunersFileLoadsUnchanged) {
  const std::string older =
      Json{{"workload_name", "older"},
           {"reward_metric", "score"},
           {"benchmark_command", R"sh(echo "score: 10$(($$ % 10))")sh"},
           {"action_space",
            {{{"param", "vm.vfs_cache_pressure"}, {"min", 50}, {"max", 200}, {"type", "int"}}}},
           {"state_space", {{{"metric", "cpu_utilization"}}}},
           {"training_config", {{"total_timesteps", 6}, {"learning_rate", 0.001}}}}
          .dump();
  const ProcessResult tuned = Run({"tune", File("older.json", older), "--yes"});
  ASSERT_LE(tuned.status, 1) << tuned.output << tuned.errors;
  EXPECT_THAT(tuned.output, HasSubstr("Everything is back"));
}

TEST_F(SysctlCampaignTest, AnOlderFileThatPipesApacheBenchGivesItsNumber) {
  if (std::system("command -v ab python3 >/dev/null") != 0) {
    GTEST_SKIP() << "needs ab and python3 (apt-get install apache2-utils python3)";
  }
  const std::string serve_and_measure = File("measure.py", R"py(
import http.server, subprocess, threading
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
subprocess.run(["ab", "-n", "20", f"http://127.0.0.1:{server.server_port}/"], check=True)
)py");
  Json older{
      {"workload_name", "web"},
      {"reward_metric", "requests_per_second"},
      {"benchmark_command", "python3 " + serve_and_measure + " 2>&1 | grep 'Requests per second'"},
      {"action_space", {{{"param", "net.core.somaxconn"}, {"min", 128}, {"max", 4096}}}},
      {"state_space", Json::array()}};
  const ProcessResult read = Run({"tune", File("ab.json", older.dump()), "--dry-run"});
  EXPECT_EQ(read.status, 0) << read.output << read.errors;
  EXPECT_THAT(read.output, testing::ContainsRegex("  requests_per_second +[0-9.]+\n"));
  EXPECT_THAT(read.output, HasSubstr("requests_per_second (higher is better)"));
  older["reward_metric"] = "rate";
  const ProcessResult unread = Run({"tune", File("other.json", older.dump()), "--dry-run"});
  EXPECT_EQ(unread.status, 6) << unread.output << unread.errors;
  EXPECT_THAT(unread.output, HasSubstr("lines with a number: \"Requests per second: "));
}

// What `hone sysctl show` knows is in the plan.
TEST_F(SysctlCampaignTest, ThePlanSaysWhatDoesNothingHereAndWhatToBewareOf) {
  const std::string file = File("w.json", HostWorkload());
  const std::vector<std::string> plan{
      "tune",          file, "-p", "net.ipv4.tcp_dsack", "-p", "vm.stat_interval", "--dry-run",
      "--no-preflight"};
  const std::string sack = *files_->Read("/proc/sys/net/ipv4/tcp_sack");
  EXPECT_THAT(Run(plan).output, HasSubstr("Tools that read memory statistics see older numbers."));
  ASSERT_TRUE(files_->Write("/proc/sys/net/ipv4/tcp_sack", "0"));
  const ProcessResult told = Run(plan);
  std::vector<std::string> as_json = plan;
  as_json.emplace_back("--json");
  const auto json = ParseJson(Run(as_json).output, "plan");
  const ProcessResult shown = Run({"sysctl", "show", "net.ipv4.tcp_dsack"});
  ASSERT_TRUE(files_->Write("/proc/sys/net/ipv4/tcp_sack", sack));
  const std::string why = "does nothing here: net.ipv4.tcp_sack is 0";
  EXPECT_THAT(told.output, HasSubstr("note: net.ipv4.tcp_dsack: " + why));
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ((*json)["notes"][0], "net.ipv4.tcp_dsack: " + why);
  EXPECT_EQ((*json)["touches"][1]["caution"],
            "Tools that read memory statistics see older numbers.");
  EXPECT_THAT(shown.output, HasSubstr("It does nothing here:"));
}

TEST_F(SysctlCampaignTest, TenCampaignsInPrivateNamespacesDisturbNeitherTheHostNorEachOther) {
  std::vector<std::future<ProcessResult>> campaigns;
  for (int number = 0; number < 10; ++number) {
    std::vector<std::string> words =
        Tune(File("n" + std::to_string(number) + ".json", NamespaceWorkload(number)), 4);
    words.insert(words.end(), {"--store", (Folder() / ("s" + std::to_string(number))).string()});
    words.insert(words.begin(), HONE_BINARY);
    campaigns.push_back(std::async(std::launch::async, [words] {
      Command command;
      command.arguments = words;
      command.limit = std::chrono::seconds(200);
      return *RunProcess(command);
    }));
  }
  for (auto& campaign : campaigns) {
    const ProcessResult tuned = campaign.get();
    EXPECT_LE(tuned.status, 1) << tuned.output << tuned.errors;
    EXPECT_THAT(tuned.output, HasSubstr("Nothing on the host was touched"));
  }
  EXPECT_THAT(Difference(before_), IsEmpty());
}

}  // namespace
}  // namespace hone
