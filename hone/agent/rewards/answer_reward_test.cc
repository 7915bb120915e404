// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/answer_reward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/rewards/number_scale.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;

// A, B should be y; C and D should stay.
Question Switches() {
  Question question{QuestionKind::kBool, "Menu", {}};
  for (const char* key : {"A", "B", "C", "D"}) {
    question.items.push_back({.key = key, .prompt = key, .value = "n", .allowed = {"n", "y"}});
  }
  return question;
}

ItemLabel Set(const std::string& key, const std::string& value, double weight = 1) {
  return {.key = key, .right = RightMove::kSet, .accepted = {{value, 1}}, .weight = weight};
}
ItemLabel Keep(const std::string& key) { return {.key = key, .right = RightMove::kKeep}; }

Label SwitchLabel() { return {{Set("A", "y"), Set("B", "y"), Keep("C"), Keep("D")}}; }

double Worth(const Question& question, const Label& label, const std::string& lines) {
  const Answer answer = ParseAnswer(question, "<answer>\n" + lines + "\n</answer>");
  const auto reward = AnswerReward(question, label, answer);
  EXPECT_TRUE(reward) << reward.error().message;
  return reward.value_or(-1);
}

double Switched(const std::string& lines) { return Worth(Switches(), SwitchLabel(), lines); }

TEST(AnswerRewardTest, APerfectAnswerScoresOne) {
  EXPECT_DOUBLE_EQ(Switched("A = y\nB = y"), 1);
  EXPECT_DOUBLE_EQ(Switched("A = y\nB = y\nC = keep\nD = n"), 1);
}

TEST(AnswerRewardTest, PrecisionCountsAsMuchAsRecall) {
  // Half of what is right, and nothing else: 2 · 1 / (1 + 2). All of it and as much again is wrong:
  // 2 · 2 / (4 + 2), times a half since all that should stay was changed.
  EXPECT_DOUBLE_EQ(Switched("A = y"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(Switched("A = y\nB = y\nC = y\nD = y"), 2.0 / 3 / 2);
  EXPECT_DOUBLE_EQ(Switched("A = y\nB = y\nC = y"), 4.0 / 5 * 3 / 4);
  EXPECT_DOUBLE_EQ(Switched(""), 0);
}

TEST(AnswerRewardTest, WeightsSayWhatMatters) {
  const Label label{{Set("A", "y", 3), Set("B", "y", 1), Keep("C"), Keep("D")}};
  EXPECT_DOUBLE_EQ(Worth(Switches(), label, "A = y"), 6.0 / 7);
  EXPECT_DOUBLE_EQ(Worth(Switches(), label, "B = y"), 2.0 / 5);
}

TEST(AnswerRewardTest, WhatIsNotKnownCountsNeitherWay) {
  const Label label{{Set("A", "y"), Keep("C")}};
  EXPECT_DOUBLE_EQ(Worth(Switches(), label, "A = y\nB = y\nD = y"), 1);
}

TEST(AnswerRewardTest, WhereNothingShouldChangeEachChangeCosts) {
  const Label label{{Keep("A"), Keep("B"), Keep("C"), Keep("D")}};
  EXPECT_DOUBLE_EQ(Worth(Switches(), label, ""), 1);
  EXPECT_DOUBLE_EQ(Worth(Switches(), label, "A = y"), 0.75);
  EXPECT_DOUBLE_EQ(Worth(Switches(), label, "A = y\nB = y\nC = y\nD = y"), 0);
  EXPECT_DOUBLE_EQ(Worth(Switches(), label, "A = y\nB = y\nC = y\nD = y\nE = y"), 0);
}

TEST(AnswerRewardTest, AFaultIsAWrongDecision) {
  EXPECT_DOUBLE_EQ(Switched("A = y\nB = y\nZZZ = y"), 4.0 / 5);
  EXPECT_DOUBLE_EQ(Switched("A = y\nB = maybe"), 2.0 / 4);
}

TEST(AnswerRewardTest, AnsweringTwiceIsNoAnswer) {
  EXPECT_DOUBLE_EQ(Switched("A = y\nB = y\nA = y"), 0);
  EXPECT_DOUBLE_EQ(FormatReward(ParseAnswer(Switches(), "<answer>\nA = y\nA = n\n</answer>")), 0);
}

TEST(AnswerRewardTest, ATristateMayHaveASecondBestValue) {
  Question question{QuestionKind::kTristate,
                    "Menu",
                    {{.key = "A", .prompt = "a", .value = "n", .allowed = {"n", "m", "y"}}}};
  const Label label{{{.key = "A", .right = RightMove::kSet, .accepted = {{"y", 1}, {"m", 0.5}}}}};
  EXPECT_DOUBLE_EQ(Worth(question, label, "A = y"), 1);
  EXPECT_DOUBLE_EQ(Worth(question, label, "A = m"), 0.5);
}

TEST(AnswerRewardTest, MenusAreOpenedRightlyOrNot) {
  Question question{QuestionKind::kMenu,
                    "Main",
                    {{.key = "Net", .prompt = "Net"},
                     {.key = "Fs", .prompt = "Fs"},
                     {.key = "Usb", .prompt = "Usb"}}};
  const Label label{{Set("Net", "y"), Keep("Fs"), Keep("Usb")}};
  EXPECT_DOUBLE_EQ(Worth(question, label, "Net"), 1);
  EXPECT_DOUBLE_EQ(Worth(question, label, "Net\nFs\nUsb"), 0.5 / 2);
}

Question Model() {
  return {QuestionKind::kChoice,
          "model",
          {{.key = "SERVER", .prompt = "server", .value = "y"},
           {.key = "DESKTOP", .prompt = "desktop"},
           {.key = "RT", .prompt = "rt"}}};
}

TEST(AnswerRewardTest, AChoiceIsWorthTheMemberInForceAfterIt) {
  const Label label{
      {Set("RT", "y"), {.key = "DESKTOP", .right = RightMove::kSet, .accepted = {{"y", 0.4}}}}};
  EXPECT_DOUBLE_EQ(Worth(Model(), label, "RT"), 1);
  EXPECT_DOUBLE_EQ(Worth(Model(), label, "DESKTOP"), 0.4);
  EXPECT_DOUBLE_EQ(Worth(Model(), label, "SERVER"), 0);
  EXPECT_DOUBLE_EQ(Worth(Model(), label, ""), 0);
  EXPECT_DOUBLE_EQ(Worth(Model(), label, "RT\nDESKTOP"), 0);
  const Label stay{{Keep("SERVER")}};
  EXPECT_DOUBLE_EQ(Worth(Model(), stay, ""), 1);
  EXPECT_DOUBLE_EQ(Worth(Model(), stay, "SERVER"), 1);
  EXPECT_DOUBLE_EQ(Worth(Model(), stay, "RT"), 0);
}

Question Number(const std::string& now, const std::string& low, const std::string& high) {
  return {QuestionKind::kValue,
          "Menu",
          {{.key = "N", .prompt = "n", .value = now, .lowest = low, .highest = high}}};
}

TEST(AnswerRewardTest, NumbersCountByHowNearTheyCome) {
  const Question shift = Number("12", "12", "25");
  const Label label{{Set("N", "20")}};
  EXPECT_DOUBLE_EQ(Worth(shift, label, "N = 20"), 1);
  EXPECT_DOUBLE_EQ(Worth(shift, label, "N = 16"), 0.5);  // Half of the way.
  EXPECT_DOUBLE_EQ(Worth(shift, label, "N = 24"), 0.5);
  EXPECT_DOUBLE_EQ(Worth(shift, label, "N = 26"), 0);  // Out of its range.
  EXPECT_DOUBLE_EQ(Worth(shift, label, "N = twenty"), 0);
  EXPECT_DOUBLE_EQ(Worth(shift, label, "N = 99999999999999999999999"), 0);
}

TEST(AnswerRewardTest, OverDecadesTheScaleIsLogarithmic) {
  const Question wide = Number("9", "0", "999999");
  const Label label{{Set("N", "99999")}};
  EXPECT_NEAR(Worth(wide, label, "N = 999"), 0.5, 1e-12);
  EXPECT_LT(ClosenessOf(wide.items[0], "99999", "999"), 0.51);
  const Question bare = Number("10", "", "");
  EXPECT_NEAR(ClosenessOf(bare.items[0], "20", "15"), 0.5, 1e-12);
}

TEST(AnswerRewardTest, HexAndQuotesAreTheSameValue) {
  const Question address = Number("0x1000", "", "");
  EXPECT_DOUBLE_EQ(Worth(address, {{Set("N", "0x2000")}}, "N = 8192"), 1);
  EXPECT_DOUBLE_EQ(Worth(address, {{Set("N", "0x2000")}}, "N = 0X2000"), 1);
  const Question name = Number("a", "", "");
  EXPECT_DOUBLE_EQ(Worth(name, {{Set("N", "none b")}}, "N = \"none b\""), 1);
  EXPECT_DOUBLE_EQ(Worth(name, {{Set("N", "b")}}, "N = B"), 0);
}

TEST(AnswerRewardTest, ADirectionIsEnoughWhereMoreIsNotKnown) {
  const Question hz = Number("250", "100", "1000");
  const Label higher{{{.key = "N", .right = RightMove::kHigher}}};
  EXPECT_DOUBLE_EQ(Worth(hz, higher, "N = 300"), 1);
  EXPECT_DOUBLE_EQ(Worth(hz, higher, "N = 100"), 0);
  EXPECT_DOUBLE_EQ(Worth(hz, higher, "N = 2000"), 0);
  EXPECT_DOUBLE_EQ(Worth(hz, higher, "N = 250"), 0);
}

TEST(AnswerRewardTest, ARewardThatCannotBeComputedIsAnError) {
  const Answer answer = ParseAnswer(Switches(), "<answer>\nA = y\n</answer>");
  const auto why = [&answer](const Question& question, Label label) {
    const auto reward = AnswerReward(question, label, answer);
    EXPECT_FALSE(reward);
    return reward ? std::string() : reward.error().message;
  };
  EXPECT_THAT(why(Switches(), {}), HasSubstr("nothing is known"));
  EXPECT_THAT(why(Switches(), {{Set("ZZZ", "y")}}), HasSubstr("no such item"));
  EXPECT_THAT(why(Switches(), {{Set("A", "m")}}), HasSubstr("none of n, y"));
  EXPECT_THAT(why(Switches(), {{Set("A", "n")}}), HasSubstr("keep"));
  EXPECT_THAT(why(Switches(), {{Set("A", "y", 0)}}), HasSubstr("weight"));
  EXPECT_THAT(why(Switches(), {{Set("A", "y"), Set("A", "y")}}), HasSubstr("twice"));
  EXPECT_THAT(why(Switches(), {{{.key = "A", .right = RightMove::kHigher}}}), HasSubstr("number"));
  EXPECT_THAT(why(Switches(), {{{.key = "A", .right = RightMove::kSet}}}), HasSubstr("no value"));
  EXPECT_THAT(why(Number("1", "1", "5"), {{Set("N", "9")}}), HasSubstr("range"));
  EXPECT_THAT(why(Model(), {{Keep("RT")}}), HasSubstr("not the member in force"));
}

TEST(AnswerRewardTest, TheTotalHasAShareForTheForm) {
  const auto half = RewardOfResponse(Switches(), SwitchLabel(), "<answer>\nA = y\n</answer>");
  ASSERT_TRUE(half);
  EXPECT_DOUBLE_EQ(half->total, 0.1 + 0.9 * 2 / 3);
  EXPECT_FALSE(RewardOfResponse(Switches(), SwitchLabel(), "", {.format_share = 2}));
}

TEST(AnswerRewardTest, WhatIsTooLongIsNotRead) {
  const std::string right = "<answer>\nA = y\nB = y\n</answer>";
  const std::string huge = std::string(kMaxResponseBytes, ' ') + right;
  EXPECT_DOUBLE_EQ(RewardOfResponse(Switches(), SwitchLabel(), right)->total, 1);
  EXPECT_DOUBLE_EQ(RewardOfResponse(Switches(), SwitchLabel(), huge)->total, 0);
}

TEST(LabelTest, WordsAreReadBack) {
  for (const char* name : {"measured", "solver", "knowledge", "imported"}) {
    EXPECT_EQ(NameOf(*LabelOriginNamed(name)), name);
  }
  for (const char* name : {"keep", "set", "higher", "lower"}) {
    EXPECT_EQ(NameOf(*RightMoveNamed(name)), name);
  }
  EXPECT_FALSE(RightMoveNamed("up"));
}

}  // namespace
}  // namespace hone::agent
