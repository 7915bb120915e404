// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "hone/base/file.h"
#include "hone/testing/test_machine.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using End = ProcessResult::End;

// A campaign with a clear gain that is over in a moment.
const std::vector<std::string> kQuick{"tune", "toy", "--engine", "random",       "--trials",
                                      "12",   "-o",  "gain=0.3", "--no-ablation"};

const std::string kGoOn = std::string("go on with: ") + HONE_BINARY + " resume toy-1 --store ";

// The same, slow enough to be caught in the middle.
std::vector<std::string> Slow() {
  std::vector<std::string> words = kQuick;
  words[5] = "400";
  words.insert(words.end(), {"-o", "duration_ms=5", "--lease", "500ms"});
  return words;
}

// Kind and choice of every decision: what a seed must give again.
Json ChoicesOf(const Json& exported) {
  Json choices = Json::array();
  for (const Json& decision : exported.at("decisions")) {
    choices.push_back({decision.at("kind"), decision.at("choice")});
  }
  return choices;
}

class CliTest : public HoneTest {
 protected:
  // In the middle of its search when this returns.
  Live StartSlow(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = Slow();
    words.insert(words.end(), more.begin(), more.end());
    return Start(words, [this] { return CountDecisions() >= 6; });
  }
};

TEST_F(CliTest, ACampaignIsLabelledAndForgotten) {
  ASSERT_THAT(Run({"tune", "toy", "--trials", "12", "-q"}).status, AnyOf(0, 1));
  ASSERT_EQ(Run({"label", "last", "first try", "--note", "before lunch"}).status, 0);
  EXPECT_THAT(Run({"runs"}).output, HasSubstr("first try"));
  EXPECT_THAT(Run({"show", "last"}).output, HasSubstr("before lunch"));
  const auto forgotten = Run({"forget", "last"});
  EXPECT_EQ(forgotten.status, 0) << forgotten.errors;
  EXPECT_THAT(forgotten.output, HasSubstr("Forgot toy-1, with "));
  EXPECT_THAT(Run({"runs"}).output, HasSubstr("No campaign"));
  EXPECT_EQ(Run({"forget", "toy-1"}).status, 2);
}

TEST_F(CliTest, ACampaignGoesFromTuneToReplay) {
  const ProcessResult tune = Run(kQuick);
  ASSERT_EQ(tune.status, 0) << tune.output << tune.errors;
  EXPECT_THAT(tune.output, StartsWith("Gain: +"));
  EXPECT_THAT(tune.output, HasSubstr("hone report toy-1 -o toy-1.html"));
  EXPECT_THAT(tune.errors, HasSubstr("A/A gate: the baseline against itself, 10 pairs"));
  EXPECT_THAT(tune.errors, HasSubstr("Stored as toy-1 in " + Store().string()));

  EXPECT_THAT(Run({"runs"}).output, HasSubstr("done   Gain: +"));
  EXPECT_EQ(Run({"runs", "--ids"}).output, "toy-1\n");
  EXPECT_THAT(Run({"show", "last"}).output, HasSubstr("Trials, best first"));

  const auto page = Folder() / "page.html";
  EXPECT_EQ(Run({"report", "toy-1", "-o", page.string()}).status, 0);
  EXPECT_THAT(ReadFile(page).value_or(""), HasSubstr("</html>"));
  EXPECT_THAT(Run({"report", "toy-1", "-o", "-"}).output, HasSubstr("</html>"));

  const ProcessResult csv = Run({"export", "last", "--as", "csv"});
  EXPECT_EQ(csv.status, 0) << csv.errors;
  EXPECT_GT(std::count(csv.output.begin(), csv.output.end(), '\n'), 60);

  const ProcessResult replay = Run({"replay", "last"});
  EXPECT_EQ(replay.status, 0) << replay.output << replay.errors;
  EXPECT_THAT(replay.output, HasSubstr("Reproduced: all"));
}

TEST_F(CliTest, TheCommandsAfterAVerdictCanBeTypedAsTheyStand) {
  const std::string output = Run(kQuick).output;
  const auto begin = output.find("\nNext:\n");
  ASSERT_NE(begin, std::string::npos) << output;
  std::istringstream lines(output.substr(begin + 7));
  const auto elsewhere = TempDir::Make("hone elsewhere");
  ASSERT_TRUE(elsewhere);
  int typed = 0;
  for (std::string line; std::getline(lines, line); ++typed) {
    Command command;
    command.arguments = {"sh", "-c", line};
    command.folder = elsewhere->path();
    const auto result = RunProcess(command);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->status, 0) << line << "\n" << result->errors;
  }
  EXPECT_EQ(typed, 3);
  EXPECT_TRUE(std::filesystem::exists(elsewhere->path() / "toy-1.html"));
}

TEST_F(CliTest, EveryVerbSpeaksJson) {
  const Json tune = [&] {
    std::vector<std::string> words = kQuick;
    words.emplace_back("--quiet");
    return RunJson(words);
  }();
  EXPECT_EQ(tune.at("id"), "toy-1");
  EXPECT_EQ(tune.at("verdict").at("kind"), "gain");
  EXPECT_EQ(tune.at("spec").at("seed"), 1);
  EXPECT_GT(tune.at("gate").at("noise"), 0);
  EXPECT_EQ(RunJson({"runs"}).at("runs").at(0).at("state"), "done");
  EXPECT_EQ(RunJson({"show", "last"}).at("id"), "toy-1");
  EXPECT_EQ(RunJson({"resume", "last"}).at("id"), "toy-1");
  const Json replay = RunJson({"replay", "last"});
  EXPECT_EQ(replay.at("stored"), replay.at("reproduced"));
  EXPECT_EQ(RunJson({"export", "last"}).at("id"), "toy-1");
  EXPECT_THAT(RunJson({"report", "last", "-o", "-"}).at("html"), HasSubstr("</html>"));
  EXPECT_FALSE(RunJson({"doctor"}).at("checks").empty());
  EXPECT_TRUE(RunJson({"version"}).contains("version"));
  EXPECT_TRUE(RunJson({"completion", "bash"}).contains("script"));
  EXPECT_TRUE(RunJson({"tune", "toy", "--dry-run"}).contains("spec"));
  EXPECT_EQ(RunJson({"show", "toy-9"}).at("error").at("code"), "not_found");
}

TEST_F(CliTest, ABudgetThatIsTooShortForAMadeUpSystemIsSaidInThePlan) {
  EXPECT_THAT(Run({"tune", "toy", "-o", "duration_ms=500", "--budget", "3s", "--dry-run"}).output,
              HasSubstr("  budget    3.0 s of measuring for all of it; at about 0.5 s a run, too "
                        "short: at 1.0 s a pair"));
  EXPECT_THAT(Run({"tune", "toy", "--budget", "3s", "--dry-run"}).output,
              HasSubstr("how it is divided is said after the gate"));
}

TEST_F(CliTest, NoGainIsACompleteAnswerWithStatusOne) {
  std::vector<std::string> words = kQuick;
  words[7] = "gain=0";
  const ProcessResult tune = Run(words);
  EXPECT_EQ(tune.status, 1) << tune.errors;
  EXPECT_THAT(tune.output, StartsWith("No gain: "));
  EXPECT_THAT(tune.output, HasSubstr("smallest gain its proof would have shown"));
  EXPECT_EQ(Run({"resume", "last"}).status, 1);
}

TEST_F(CliTest, AFrontIsATable) {
  const ProcessResult tune =
      Run({"tune", "toy", "-o", "gain=0.5", "--objective", "throughput", "--objective",
           "latency_ms", "--front", "--engine", "random", "--trials", "15"});
  EXPECT_LE(tune.status, 1) << tune.output << tune.errors;
  EXPECT_THAT(tune.output, HasSubstr("p (Holm)"));
}

TEST_F(CliTest, AKilledCampaignResumesWithNothingDoneTwice) {
  Live live = StartSlow();
  ASSERT_GT(live.pid, 0);
  const std::size_t before = CountDecisions();
  ::kill(live.pid, SIGKILL);
  const ProcessResult killed = live.result.get();
  ASSERT_EQ(killed.end, End::kSignalled) << killed.output << killed.errors;
  EXPECT_THAT(Run({"runs"}).output, HasSubstr("unfinished  " + kGoOn));
  const ProcessResult partial = Run({"replay", "last"});
  EXPECT_EQ(partial.status, 0) << partial.output;
  EXPECT_THAT(partial.output, HasSubstr("no verdict yet"));

  Live again =
      Start({"resume", "last", "--lease", "500ms"}, [&] { return CountDecisions() > before + 2; });
  ::kill(again.pid, SIGINT);  // It need not try all 400.
  const ProcessResult resumed = again.result.get();
  EXPECT_THAT(resumed.status, AnyOf(0, 1, 4)) << resumed.output << resumed.errors;
  EXPECT_THAT(resumed.errors, HasSubstr("Going on with toy-1 after"));
  EXPECT_GT(CountDecisions(), before);
  EXPECT_EQ(Run({"replay", "last"}).status, 0);
  const Json exported = RunJson({"export", "last"});
  std::vector<std::string> names;
  for (const Json& block : exported.at("blocks")) names.push_back(block.at("name"));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST_F(CliTest, CtrlCOnceStillGivesTheVerdict) {
  Live live = StartSlow();
  ::kill(live.pid, SIGINT);
  const ProcessResult result = live.result.get();
  ASSERT_EQ(result.end, End::kExited);
  EXPECT_THAT(result.status, AnyOf(0, 4)) << result.errors;  // It has tried few by then.
  EXPECT_THAT(result.errors, HasSubstr("Interrupted: the search ends here"));
  EXPECT_THAT(result.output, HasSubstr("The search was interrupted after"));
  EXPECT_EQ(Run({"replay", "last"}).status, 0);
}

TEST_F(CliTest, CtrlCStillGivesTheVerdictWhileADashboardShowsIt) {
  Live live = StartSlow({"--dashboard=0"});
  ::kill(live.pid, SIGINT);
  const ProcessResult result = live.result.get();
  ASSERT_EQ(result.end, End::kExited);
  EXPECT_THAT(result.status, AnyOf(0, 4)) << result.errors;  // It has tried few by then.
  EXPECT_THAT(result.output, HasSubstr("The search was interrupted after"));
}

TEST_F(CliTest, ACampaignWhoseTimeTheGateSpendsSaysThatNotEnoughWasTried) {
  const ProcessResult tuned =
      Run({"tune", "toy", "-o", "duration_ms=60", "--time", "1s", "--quiet"});
  EXPECT_EQ(tuned.status, 4) << tuned.errors;
  EXPECT_THAT(tuned.output, StartsWith("Not enough was tried to say: The time was spent before a "
                                       "candidate was tried.\n"));
  EXPECT_THAT(tuned.output, Not(HasSubstr("would have shown")));
  EXPECT_THAT(tuned.output, Not(HasSubstr("may not matter")));
  EXPECT_THAT(Run({"runs"}).output, HasSubstr("Not enough was tried to say"));
  EXPECT_EQ(Run({"replay", "last"}).status, 0);
}

TEST_F(CliTest, CtrlCSavesATrainingWhileADashboardShowsIt) {
  const auto folder = Folder() / "run";
  Live live = Start({"train", "ppo", "--steps", "100000000", "--episodes", "1", "--dashboard=0",
                     "--output", folder.string()},
                    [&] { return ReadFile(folder / "progress.csv").value_or("").size() > 1000; });
  ::kill(live.pid, SIGTERM);
  const ProcessResult result = live.result.get();
  ASSERT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("hone train ppo --resume " + folder.string()));
  EXPECT_TRUE(std::filesystem::exists(folder / "policy"));
}

TEST_F(CliTest, CtrlCTwiceStopsAtOnceAndCanBeResumed) {
  std::vector<std::string> words = kQuick;
  words[5] = "3";
  words.insert(words.end(), {"-o", "duration_ms=50"});
  Live live = Start(words, [this] { return WasPushed("toy-1/gate"); });
  ::kill(live.pid, SIGTERM);
  ::kill(live.pid, SIGINT);
  const ProcessResult result = live.result.get();
  ASSERT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.status, 3) << result.output << result.errors;
  EXPECT_THAT(result.errors, HasSubstr(kGoOn));
  EXPECT_THAT(RunJson({"runs"}).at("runs").at(0).at("last_error"), HasSubstr("interrupted"));
  EXPECT_LE(Run({"resume", "toy-1"}).status, 1);
  EXPECT_EQ(Run({"replay", "toy-1"}).status, 0);
}

TEST_F(CliTest, TwoProcessesDoNotRunOneCampaign) {
  Live live = StartSlow();
  const ProcessResult second = Run({"resume", "last"});
  EXPECT_EQ(second.status, 3);
  EXPECT_THAT(second.errors, HasSubstr("it is running in another process"));
  EXPECT_THAT(Run({"runs"}).output, HasSubstr("running"));
  ::kill(live.pid, SIGKILL);
  live.result.get();
}

TEST_F(CliTest, TheSameSeedDecidesTheSameOnOneCoreAndOnTwo) {
  const std::vector<std::string> words{"tune",     "toy", "--batch", "2",
                                       "--trials", "8",   "--seed",  "5"};
  Command pinned;
  pinned.arguments = CommandFor(words);
  pinned.cpus = {0};
  const auto one = RunProcess(pinned);
  ASSERT_TRUE(one) << one.error().message;
  std::vector<std::string> wide = words;
  wide.insert(wide.end(), {"--workers", "2"});
  const ProcessResult two = Run(wide);
  EXPECT_EQ(one->status, two.status) << one->errors << two.errors;
  const Json first = ChoicesOf(RunJson({"export", "toy-1"}));
  const Json second = ChoicesOf(RunJson({"export", "toy-2"}));
  ASSERT_GT(first.size(), 10U);
  EXPECT_EQ(first, second);
}

TEST_F(CliTest, UsageFaultsHaveStatusTwoAndSayWhatToDo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> faults{
      {{"tnue"}, "did you mean tune?"},
      {{"tune"}, "TARGET: missing"},
      {{"tune", "tpy"}, "did you mean toy?"},
      {{"tune", "toy", "-o", "noize=1"}, "did you mean noise?"},
      {{"tune", "toy", "-o", "noise=loud"}, "noise"},
      {{"tune", "toy", "--trials", "many"}, "--trials: expected a whole number"},
      {{"tune", "toy", "--engine", "magic"}, "there are: bayes, llm, ppo, random"},
      {{"tune", "toy", "--objective", "speed"}, "there are: throughput"},
      {{"tune", "missing.json"}, "missing.json: no such file"},
      {{"show", "toy-1"}, "start one: hone tune toy"},
      {{"export", "toy-1", "--as", "xml"}, "expected json, csv, sysctl.d"},
      {{"completion", "tcsh"}, "expected bash, zsh, fish or man"}};
  for (const auto& [words, text] : faults) {
    const ProcessResult result = Run(words);
    EXPECT_EQ(result.status, 2) << words.back() << ": " << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(text));
    EXPECT_THAT(result.errors, StartsWith("hone: "));
  }
  EXPECT_FALSE(std::filesystem::exists(Store()));
}

TEST_F(CliTest, ASpecFileIsChecked) {
  const auto spec = Folder() / "spec.json";
  ASSERT_TRUE(WriteFileDurably(spec, R"({"domain": "toy", "search": {"trials": 5}})"));
  const ProcessResult bad = Run({"tune", spec.string()});
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.errors, HasSubstr("spec.json: /search: the member \"trials\" is not known"));
  ASSERT_TRUE(WriteFileDurably(spec, R"({"domain": "toy", "search": {"most_trials": 5}})"));
  const ProcessResult good = Run({"tune", spec.string(), "--dry-run"});
  EXPECT_EQ(good.status, 0) << good.errors;
  EXPECT_THAT(good.output, HasSubstr("at most 5 candidates"));
}

TEST_F(CliTest, AReadOnlyStoreIsAFailureThatSaysSo) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounting a read-only disk needs root";
  const auto place = Folder() / "disk";
  ASSERT_TRUE(MakeFolder(place));
  auto disk = TinyDisk::Mount(place, 4 << 20);
  if (!disk) GTEST_SKIP() << disk.error().message;
  ASSERT_TRUE(disk->MakeReadOnly());
  Command command;
  command.arguments = {HONE_BINARY, "tune", "toy", "--store", place / "hone.db"};
  const auto result = RunProcess(command);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->status, 3) << result->errors;
  EXPECT_THAT(result->errors, HasSubstr("read-only"));
}

TEST_F(CliTest, AFullDiskEndsWithAClearErrorAndTheCampaignGoesOnLater) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounting a small disk needs root";
  const auto place = Folder() / "disk";
  ASSERT_TRUE(MakeFolder(place));
  const auto disk = TinyDisk::Mount(place, 400 << 10);
  if (!disk) GTEST_SKIP() << disk.error().message;
  const std::string store = place / "hone.db";
  const auto run = [](std::vector<std::string> words) {
    Command command;
    command.arguments = std::move(words);
    return RunProcess(command).value();
  };
  const ProcessResult full =
      run({HONE_BINARY, "tune", "toy", "--engine", "random", "--store", store});
  EXPECT_EQ(full.status, 3) << full.output << full.errors;
  EXPECT_THAT(full.errors, HasSubstr("the disk is full: free some space"));
  EXPECT_THAT(full.errors, HasSubstr(kGoOn));
  ASSERT_EQ(run({"mount", "-o", "remount,size=16M", place}).status, 0);
  EXPECT_LE(run({HONE_BINARY, "resume", "last", "--store", store}).status, 1);
  EXPECT_EQ(run({HONE_BINARY, "replay", "last", "--store", store}).status, 0);
}

TEST_F(CliTest, TheBashCompletionParses) {
  const auto script = Folder() / "hone.bash";
  ASSERT_TRUE(WriteFileDurably(script, Run({"completion", "bash"}).output));
  Command command;
  command.arguments = {"bash", "-c",
                       "source \"$0\" && COMP_WORDS=(hone tune toy --engine r) && COMP_CWORD=4 && "
                       "_hone && echo \"${COMPREPLY[@]}\"",
                       script.string()};
  const auto result = RunProcess(command);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output, "random\n") << result->errors;
}

}  // namespace
}  // namespace hone
