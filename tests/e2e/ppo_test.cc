// SPDX-License-Identifier: Apache-2.0
// Policies that outlive the process that trained them: killed, moved, and begun with again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <regex>

#include "hone/base/file.h"
#include "hone/base/sqlite/sqlite.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;
using End = ProcessResult::End;

class PpoTest : public HoneTest {
 protected:
  std::vector<std::string> Tune(int trials, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{
        "tune",     "toy", "--engine", "ppo",           "--trials",        "",          "-o",
        "gain=0.3", "-o",  "",         "--no-ablation", "--engine-option", "patience=0"};
    words[5] = std::to_string(trials);
    words[9] = "duration_ms=1";
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // One column of one row; empty if there is none.
  static std::string Query(const std::filesystem::path& store, const std::string& sql) {
    auto database = Database::Open(store, Database::Mode::kReadOnly);
    if (!database) return "";
    auto query = database->Prepare(sql);
    if (!query || !query->Step().value_or(false)) return "";
    return query->Text(0);
  }

  std::string PolicyOf(const std::string& id) const {
    return Query(Store(), "SELECT policy FROM policies WHERE campaign = '" + id + "'");
  }

  std::string ChoicesOf(const std::string& id) const {
    return Query(Store(),
                 "SELECT group_concat(kind || choice, char(10)) FROM (SELECT * FROM decisions "
                 "WHERE campaign = '" +
                     id + "' ORDER BY position)");
  }
};

TEST_F(PpoTest, AKilledCampaignEndsWithThePolicyOfOneThatWasNotKilled) {
  ASSERT_LE(Run(Tune(30)).status, 1);
  const std::string expected = PolicyOf("toy-1");
  ASSERT_THAT(expected, HasSubstr("\"trials\":30"));
  const auto kill_and_resume = [&](const std::string& id,
                                   int decisions) {  // Once there are so many.
    const std::string count = "SELECT count(*) FROM decisions WHERE campaign = '" + id + "'";
    Live live = Start(Tune(30), [&] {
      const std::string counted = Query(Store(), count);
      return !counted.empty() && std::stoi(counted) >= decisions;
    });
    ::kill(live.pid, SIGKILL);
    EXPECT_EQ(live.result.get().end, End::kSignalled);
    const ProcessResult resumed = Run({"resume", id, "--lease", "500ms"});
    EXPECT_LE(resumed.status, 1) << resumed.errors;
  };
  kill_and_resume("toy-2", 6);   // In the first rollout,
  kill_and_resume("toy-3", 30);  // and after several updates.
  for (const char* id : {"toy-2", "toy-3"}) {
    EXPECT_EQ(PolicyOf(id), expected);
    EXPECT_EQ(ChoicesOf(id), ChoicesOf("toy-1"));
  }
}

TEST_F(PpoTest, AWarmStartBeginsWithThePolicyOfAStoreThatWasMoved) {
  ASSERT_LE(Run(Tune(24)).status, 1);
  const auto moved = Folder() / "elsewhere";
  std::filesystem::create_directory(moved);
  for (const char* end : {"", "-wal", "-shm"}) {
    const std::string name = "hone.db" + std::string(end);
    if (std::filesystem::exists(Folder() / name)) {
      std::filesystem::rename(Folder() / name, moved / name);
    }
  }
  Command command;
  command.arguments = CommandFor(Tune(12, {"--warm-start", "toy-1"}));
  for (std::string& word : command.arguments) {
    if (word == Store().string()) word = (moved / "hone.db").string();
  }
  const auto warm = RunProcess(command);
  ASSERT_TRUE(warm);
  EXPECT_LE(warm->status, 1) << warm->errors;
  EXPECT_THAT(warm->errors,
              HasSubstr("Begins with the policy of toy-1, which learnt from 24 trials, and"));
  EXPECT_THAT(Query(moved / "hone.db", "SELECT policy FROM policies WHERE campaign = 'toy-2'"),
              HasSubstr("\"trials\":36"));
  // The new campaign stands on its own.
  EXPECT_THAT(Query(moved / "hone.db", "SELECT start FROM campaigns WHERE id = 'toy-2'"),
              HasSubstr("initial_policy"));
}

TEST_F(PpoTest, TheSearchEndsOnceTheMeanRewardHasStoppedRising) {
  ASSERT_LE(Run({"tune", "toy", "--engine", "ppo", "--trials", "600", "-o", "gain=0", "-o",
                 "duration_ms=0"})
                .status,
            1);
  const Json stop =
      *ParseJson(Query(Store(), "SELECT choice FROM decisions WHERE kind = 'stop'"), "decision");
  EXPECT_EQ(stop.at("why"), "little more to be expected");
  EXPECT_LT(stop.at("trials"), 600);
  EXPECT_GE(stop.at("trials"), 42);  // Six updates of six trials after the first one.
}

TEST_F(PpoTest, WhereNoPolicyWasStoredTheTrialsTrainOne) {
  ASSERT_LE(Run({"tune", "toy", "--engine", "random", "--trials", "12", "--no-ablation"}).status,
            1);
  EXPECT_EQ(PolicyOf("toy-1"), "");
  const ProcessResult warm = Run(Tune(12, {"--warm-start", "last"}));
  EXPECT_LE(warm.status, 1) << warm.errors;
  EXPECT_THAT(warm.errors,
              HasSubstr("learns on a surrogate of the 12 trials of toy-1, which stored none"));
  EXPECT_EQ(Run({"replay", "last"}).status, 0);
}

TEST_F(PpoTest, BayesBeginsWithTheTrialsOfAnotherRun) {
  ASSERT_LE(Run({"tune", "toy", "--trials", "8", "--no-ablation"}).status, 1);
  const ProcessResult warm =
      Run({"tune", "toy", "--trials", "4", "--no-ablation", "--warm-start", "last"});
  EXPECT_LE(warm.status, 1) << warm.errors;
  std::smatch told;
  ASSERT_TRUE(std::regex_search(warm.errors, told,
                                std::regex("Begins with ([0-9]+) of the ([0-9]+) trials of toy-1")))
      << warm.errors;
  EXPECT_EQ(told[1], told[2]);
  EXPECT_GE(std::stoi(told[1]), 8) << "and finalists that the search had not tried";
  EXPECT_EQ(Run({"replay", "last"}).status, 0);
}

TEST_F(PpoTest, AWarmStartThatDoesNotFitIsRefusedBeforeAnythingIsStored) {
  ASSERT_LE(Run(Tune(6)).status, 1);
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
    const ProcessResult result = Run(words);
    EXPECT_EQ(result.status, 2) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(why));
  };
  refused({"tune", "toy", "--engine", "random", "--warm-start", "toy-1"},
          "the engine random does not learn");
  refused({"tune", "toy", "--engine", "ppo", "--warm-start", "toy-1", "--objective", "latency_ms"},
          "it was after more throughput, this campaign is after less latency_ms");
  refused(Tune(6, {"--warm-start", "toy-1", "--engine-option", "net_arch=8"}),
          "it has other networks than net_arch");
  EXPECT_NE(Run(Tune(6, {"--warm-start", "toy-9"})).status, 0);
  EXPECT_EQ(Run({"runs", "--ids"}).output, "toy-1\n");
}

class TrainTest : public HoneTest {
 protected:
  std::vector<std::string> Train(const std::string& folder, const std::string& steps) const {
    return {"train",        "ppo",  "--env",      "CartPole-v1",
            "--steps",      steps,  "--output",   (Folder() / folder).string(),
            "--save-every", "50ms", "--episodes", "2"};
  }
  std::string Text(const std::string& folder, const std::string& file) const {
    return ReadFile(Folder() / folder / file, std::size_t{64} << 20).value_or("");
  }
};

TEST_F(TrainTest, KilledAndResumedItEndsWithTheSameBytes) {
  ASSERT_EQ(Run(Train("whole", "40000")).status, 0);
  const auto policy = Folder() / "cut" / "policy";
  Live live = Start(Train("cut", "40000"), [&] { return std::filesystem::exists(policy); });
  ::kill(live.pid, SIGKILL);
  ASSERT_EQ(live.result.get().end, End::kSignalled);
  const ProcessResult resumed =
      Run({"train", "ppo", "--resume", policy.string(), "--episodes", "2"});
  ASSERT_EQ(resumed.status, 0) << resumed.errors;
  ASSERT_FALSE(Text("whole", "policy").empty());
  EXPECT_EQ(Text("cut", "policy"), Text("whole", "policy"));
  EXPECT_EQ(Text("cut", "progress.csv"), Text("whole", "progress.csv"));
}

TEST_F(TrainTest, ADomainIsAnEnvironmentAndGoneOnWithItEndsWithTheSameBytes) {
  const auto words = [&](const std::string& folder, const std::string& steps) {
    std::vector<std::string> train{"train",      "ppo",
                                   "--env",      "toy",
                                   "-o",         "gain=0.5",
                                   "-o",         "noise=0.05",
                                   "-o",         "n_steps=16",
                                   "--steps",    steps,
                                   "--output",   (Folder() / folder).string(),
                                   "--episodes", "2"};
    return train;
  };
  const Json whole = RunJson(words("whole", "320"));
  ASSERT_TRUE(whole.is_object());
  EXPECT_EQ(whole.at("environment"), "toy");
  EXPECT_EQ(whole.at("environment_options"), (Json{{"gain", "0.5"}, {"noise", "0.05"}}));
  EXPECT_EQ(whole.at("steps"), 320);
  ASSERT_EQ(Run(words("half", "160")).status, 0);
  const ProcessResult resumed = Run({"train", "ppo", "--resume", (Folder() / "half").string(),
                                     "--steps", "320", "--episodes", "2"});
  ASSERT_EQ(resumed.status, 0) << resumed.errors;
  ASSERT_FALSE(Text("whole", "policy").empty());
  EXPECT_EQ(Text("half", "policy"), Text("whole", "policy"));
}

TEST_F(TrainTest, WhatTouchesTheHostIsShownAndAskedForFirst) {
  if (Run({"tune", "memory", "--dry-run"}).status != 0) GTEST_SKIP() << "needs huge pages";
  const ProcessResult refused = Run({"train", "ppo", "--env", "memory", "--steps", "2"});
  EXPECT_EQ(refused.status, 2) << refused.errors;
  EXPECT_THAT(refused.errors, HasSubstr("/sys/kernel/mm/transparent_hugepage/enabled"));
  EXPECT_THAT(refused.errors, HasSubstr("nothing was started and nothing was touched"));
}

TEST_F(TrainTest, WhatIsWrongIsNamed) {
  ASSERT_EQ(Run(Train("there", "512")).status, 0);
  const std::string policy = (Folder() / "there" / "policy").string();
  const std::string whole = Text("there", "policy");
  const auto cut = Folder() / "cut";
  const auto changed = Folder() / "changed";
  ASSERT_TRUE(WriteFileDurably(cut, whole.substr(0, whole.size() - 9)));
  std::string other = whole;
  other[whole.size() - 100] = static_cast<char>(other[whole.size() - 100] ^ 1);
  ASSERT_TRUE(WriteFileDurably(changed, other));
  const std::vector<std::pair<std::vector<std::string>, std::string>> faults{
      {{"--env", "CartPole-v9"}, "environment CartPole-v9: there is none of this name"},
      {{"--env", "CartPole-v9"}, "or a target of hone tune"},
      {{"--env", "toy", "-o", "surfac=rugged"}, "did you mean surface"},
      {{"--env", "toy", "-o", "gamma=2"}, "gamma"},
      {{"--env", "compute", "-o", "problem=softmax"},
       "domain compute: it has no parameters to act on"},
      {{"--steps", "0"}, "--steps"},
      {{"--steps", "3"}, "total_timesteps: 3 is less than one step of the 8 environments"},
      {{"-o", "learning_rate=-1"}, "learning_rate"},
      {{"-o", "learning_rat=1"}, "did you mean learning_rate"},
      {{"-o", "batch_size=0"}, "batch_size: expected a whole number of at least 1"},
      {{"--save-every", "soon"}, "--save-every"},
      {{"--output", (Folder() / "there").string()}, "a policy is there already"},
      {{"--resume", "/none"}, "/none"},
      {{"--resume", cut.string()}, "its numbers are not those that were written"},
      {{"--resume", changed.string()}, "its numbers are not those that were written"},
      {{"--resume", "/etc/hostname"}, "not a policy"},
      {{"--resume", policy, "--env", "Pendulum-v1"}, "it was trained on CartPole-v1, not on Pend"},
      {{"--resume", policy, "--seed", "2"}, "its seed is 1"},
      {{"--resume", policy, "-o", "gamma=0.5"}, "it has its own settings"},
      {{"--resume", policy, "--steps", "256"}, "it has 512 steps already"},
  };
  for (const auto& [more, why] : faults) {
    std::vector<std::string> words{"train", "ppo"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult result = Run(words);
    EXPECT_GE(result.status, 2) << why;
    EXPECT_THAT(result.errors, HasSubstr(why));
    EXPECT_EQ(result.output, "");
  }
  EXPECT_EQ(Text("there", "policy"), whole);
}

TEST_F(TrainTest, ADoneTrainingIsOnlyJudgedAgain) {
  ASSERT_EQ(Run(Train("done", "512")).status, 0);
  const Json again =
      RunJson({"train", "ppo", "--resume", (Folder() / "done").string(), "--episodes", "2"});
  ASSERT_TRUE(again.is_object());
  EXPECT_EQ(again.at("steps"), 512);
  EXPECT_THAT(
      Run({"train", "ppo", "--resume", (Folder() / "done" / "policy").string(), "--episodes", "2"})
          .output,
      Not(HasSubstr("Go on with")));
}

}  // namespace
}  // namespace hone
