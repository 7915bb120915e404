// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/os_r1_rewards.h"

#include <gtest/gtest.h>

namespace hone::agent {
namespace {

const std::string kTool = "<think>\nt\n</think>\n<tool_call>\n{}\n</tool_call>";

OsR1Episode Episode(const std::string& lines) {
  return {kTool, "<think>\nt\n</think>\n<answer>\n" + lines + "\n</answer>"};
}

const OsR1Truth kBool = {QuestionKind::kBool,
                         R"([{"config":"net","value":2},{"config":"usb","value":0},)"
                         R"({"config":"tls","value":-1},{"config":"fs","value":-1}])"};

TEST(OsR1RewardsTest, TheFormNeedsAToolCall) {
  EXPECT_DOUBLE_EQ(OsR1Format(Episode("x")), 1.0);
  EXPECT_DOUBLE_EQ(OsR1Format({Episode("x").back()}), 0.55);
  EXPECT_DOUBLE_EQ(OsR1Format({kTool, "x"}), 0.45);
  EXPECT_DOUBLE_EQ(OsR1Format({kTool + " ", Episode("x").back()}), 0.55);
  EXPECT_DOUBLE_EQ(OsR1Format({}), 0);
  EXPECT_DOUBLE_EQ(OsR1Total({"x"}, kBool), -1);
}

TEST(OsR1RewardsTest, BoolsAreRightByShare) {
  const std::string perfect =
      "[NET - increase]\n[USB - decrease]\n"
      "[TLS - cannot determine impact without specific context]\n"
      "[FS - cannot determine impact without specific context]";
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode(perfect), kBool), 1.0);
  EXPECT_DOUBLE_EQ(OsR1Total(Episode(perfect), kBool), 1.0);
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode(perfect + "\n[WRONG - increase]"), kBool), 1.0);
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode(""), kBool), 0.2);
  // The prompt's own example has no dash.
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode("[NET increase]"), kBool), 0.1);
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode("NET - increase"), kBool), 0.1 + 0.1 + 0.7 / 4);
}

TEST(OsR1RewardsTest, MenusCountRecallAlone) {
  const OsR1Truth truth = {QuestionKind::kMenu, R"(["General setup","Networking support"])"};
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode("[General setup]\n[Networking support]"), truth), 1.0);
  EXPECT_DOUBLE_EQ(
      OsR1Answer(Episode("[General setup]\n[Networking support]\n[A]\n[B]\n[C]"), truth), 1.0);
  // The line that the question shows is not the label.
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode("[Networking support (NET)]"), truth), 0.1);
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode("[A]"), {QuestionKind::kMenu, "[]"}), 0);
}

TEST(OsR1RewardsTest, APerfectChoiceHasAFifth) {
  const OsR1Truth truth = {QuestionKind::kChoice, R"("PREEMPT")"};
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode("[PREEMPT]"), truth), 0.2);
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode("[WRONG]"), truth), 0.2);
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode("[\"PREEMPT\"]"), truth), 1.0);
}

TEST(OsR1RewardsTest, APerfectValueHasNothing) {
  const OsR1Truth truth = {QuestionKind::kValue, R"([{"config":"Log size","value":"17"}])"};
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode("Log size (17)"), truth), 0);
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode(truth.answer), truth), 1.0);
}

TEST(OsR1RewardsTest, TheFirstAnswerCountsAlsoInsideTheThinking) {
  const OsR1Truth truth = {QuestionKind::kMenu, R"(["Net"])"};
  EXPECT_DOUBLE_EQ(
      OsR1Total({kTool, "<think>\n<answer>[Net]</answer>\n</think>\n<answer>no</answer>"}, truth),
      1.0);
}

TEST(OsR1RewardsTest, LabelsThatAreNoneOfItsOwnAreAnException) {
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode("[NET - increase]"),
                              {QuestionKind::kBool, R"([{"config":"net","value":1}])"}),
                   0);
  EXPECT_DOUBLE_EQ(OsR1Answer(Episode("[NET - increase]"), {QuestionKind::kBool, "no JSON"}), 0);
}

TEST(OsR1RewardsTest, OurLabelsBecomeItsOwn) {
  Question question{QuestionKind::kBool,
                    "Menu",
                    {{.key = "NET", .prompt = "Net", .value = "n", .allowed = {"n", "y"}},
                     {.key = "USB", .prompt = "Usb", .value = "y", .allowed = {"n", "y"}}}};
  const Label label{
      {{.key = "NET", .right = RightMove::kSet, .accepted = {{"y", 1}}}, {.key = "USB"}}};
  EXPECT_EQ(OsR1TruthOf(question, label)->answer,
            R"([{"config":"net","value":2},{"config":"usb","value":-1}])");
  question.kind = QuestionKind::kMenu;
  EXPECT_EQ(OsR1TruthOf(question, label)->answer, R"(["Net"])");
  question.kind = QuestionKind::kTristate;
  EXPECT_EQ(OsR1TruthOf(question, label).error().code, Errc::kUnsupported);
}

}  // namespace
}  // namespace hone::agent
