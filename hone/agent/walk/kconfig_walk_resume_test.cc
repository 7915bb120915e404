// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "hone/agent/walk/kconfig_walk.h"
#include "hone/agent/walk/walk_report.h"
#include "hone/agent/walk/walked_tree_for_test.h"
#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;

// Of whole lines.
std::size_t ExchangesIn(const std::string& log) {
  std::istringstream lines(log.substr(0, log.rfind('\n') + 1));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    count += line.find("\"kind\":\"exchange\"") != std::string::npos ? 1 : 0;
  }
  return count;
}

class KconfigWalkResumeTest : public WalkedTree {
 protected:
  std::filesystem::path Path() const { return folder_.path() / "walk.jsonl"; }
  WishfulModel Wishes() const {
    return WishfulModel({{"CARD", "m"}, {"SERVER", "y"}, {"LOCK", "n"}, {"SHIFT", "20"}});
  }
  Result<WalkResult> RunOver(ChatModel* model) {
    auto log = model == nullptr ? AgentLog::Read(Path()) : AgentLog::Open(Path());
    if (!log) return log.error();
    return WalkKconfig(Ground(), settings_, model, {}, *log);
  }

  TempDir folder_ = *TempDir::Make("walk_resume_test");
};

TEST_F(KconfigWalkResumeTest, AfterAKillAnywhereItGoesOnAndEndsTheSame) {
  ScriptedModel whole(Wishes());
  const auto expected = RunOver(&whole);
  ASSERT_TRUE(expected) << expected.error().message;
  const std::string log = *ReadFile(Path());
  const std::string fragment = FragmentOf(tree_.configuration, *expected);
  ASSERT_FALSE(fragment.empty());
  for (std::size_t at = 0; at < log.size(); at += log.size() / 40) {
    ASSERT_TRUE(WriteFileAtomically(Path(), log.substr(0, at)));
    ScriptedModel rest(Wishes());
    const auto resumed = RunOver(&rest);
    ASSERT_TRUE(resumed) << resumed.error().message;
    EXPECT_EQ(FragmentOf(tree_.configuration, *resumed), fragment);
    EXPECT_EQ(resumed->counts.talk.tokens, expected->counts.talk.tokens);
    EXPECT_EQ(rest.requests().size() + ExchangesIn(log.substr(0, at)), whole.requests().size());
  }
}

TEST_F(KconfigWalkResumeTest, AFinishedWalkIsReplayedWithoutAModel) {
  ScriptedModel model(Wishes());
  const auto first = RunOver(&model);
  ASSERT_TRUE(first) << first.error().message;
  const auto replayed = RunOver(nullptr);
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(replayed->end, WalkEnd::kDone);
  EXPECT_EQ(ToJson(tree_.configuration, *replayed), ToJson(tree_.configuration, *first));
}

TEST_F(KconfigWalkResumeTest, AnUnfinishedLogWithoutAModelSaysSo) {
  settings_.max_questions = 2;
  ScriptedModel model(Wishes());
  ASSERT_TRUE(RunOver(&model));
  settings_.max_questions = 100;
  const auto replayed = RunOver(nullptr);
  ASSERT_TRUE(replayed);
  EXPECT_EQ(replayed->end, WalkEnd::kLogEnded);
  const auto resumed = RunOver(&model);
  ASSERT_TRUE(resumed);
  EXPECT_EQ(resumed->end, WalkEnd::kDone);
}

TEST_F(KconfigWalkResumeTest, TheLogOfAnotherWalkIsRefused) {
  ScriptedModel model(Wishes());
  ASSERT_TRUE(RunOver(&model));
  settings_.goal = "less memory";
  EXPECT_THAT(RunOver(&model).error().message, HasSubstr("another goal"));
  settings_.goal = "faster system calls";
  tree_.Set("DISK", "y");
  EXPECT_THAT(RunOver(&model).error().message, HasSubstr("another start"));
}

TEST_F(KconfigWalkResumeTest, ALogThatWasTamperedWithIsNoticed) {
  ScriptedModel model(Wishes());
  ASSERT_TRUE(RunOver(&model));
  std::string log = *ReadFile(Path());
  const auto at = log.find("\"honoured\"");
  ASSERT_NE(at, std::string::npos);
  log.replace(at, 10, "\"refused\"");
  ASSERT_TRUE(WriteFileAtomically(Path(), log));
  EXPECT_THAT(RunOver(nullptr).error().message, HasSubstr("other consequences"));
  const auto digest = log.find("\"digest\":\"");
  log[digest + 10] = log[digest + 10] == '0' ? '1' : '0';
  ASSERT_TRUE(WriteFileAtomically(Path(), log));
  EXPECT_THAT(RunOver(nullptr).error().message, HasSubstr("something else is asked"));
}

TEST_F(KconfigWalkResumeTest, BytesThatAreNoTextAreReplayedAsTheyWereTaken) {
  ScriptedModel model([](const ChatRequest& request) {
    return TextAnswer(QuestionIn(request).Has("SHIFT") ? "<answer>\nSHIFT = 20\n\xff\n</answer>"
                                                       : "\xff<answer>\n</answer>");
  });
  const auto first = RunOver(&model);
  ASSERT_TRUE(first);
  const auto replayed = RunOver(nullptr);
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(ToJson(tree_.configuration, *replayed), ToJson(tree_.configuration, *first));
}

}  // namespace
}  // namespace hone::agent
