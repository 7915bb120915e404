// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/questions/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Question Switches() {
  return {QuestionKind::kTristate,
          "Networking",
          {{.key = "NET", .prompt = "Networking support", .value = "y", .allowed = {"n", "y"}},
           {.key = "TLS", .prompt = "TLS", .value = "n", .allowed = {"n", "m", "y"}}}};
}

Question Menus() {
  return {QuestionKind::kMenu,
          "Main",
          {{.key = "General setup", .prompt = "General setup"},
           {.key = "NET", .prompt = "Networking support"}}};
}

TEST(AnswerTest, LinesAreDecisions) {
  const Answer answer = ParseAnswer(
      Switches(), "<think>TLS helps</think>\n<answer>\nCONFIG_TLS = m\nNET=n\n</answer>");
  EXPECT_TRUE(answer.is_well_formed);
  EXPECT_THAT(answer.decisions, ElementsAre(Decision{"TLS", "m"}, Decision{"NET", "n"}));
  EXPECT_THAT(answer.faults, IsEmpty());
}

TEST(AnswerTest, KeepIsNoDecision) {
  const Answer answer = ParseAnswer(Switches(), "<answer>\nTLS = keep\n</answer>");
  EXPECT_TRUE(answer.is_well_formed);
  EXPECT_THAT(answer.decisions, IsEmpty());
  EXPECT_THAT(answer.faults, IsEmpty());
}

TEST(AnswerTest, WhatMakesNoSenseIsAFault) {
  const Answer answer =
      ParseAnswer(Switches(), "<answer>\nNET = m\nTLS\nUSB = y\nTLS = y\nTLS = n\n</answer>");
  EXPECT_THAT(answer.decisions, ElementsAre(Decision{"TLS", "y"}));
  EXPECT_THAT(answer.faults, ElementsAre(AnswerFault{"NET = m", "may be n or y"},
                                         AnswerFault{"TLS", "expected NAME = VALUE"},
                                         AnswerFault{"USB = y", "not one of the items"},
                                         AnswerFault{"TLS = n", "named twice", true}));
}

TEST(AnswerTest, AnAnswerInsideTheThinkingDoesNotCount) {
  const std::string_view inside = "<think><answer>\nTLS = y\n</answer></think>";
  EXPECT_FALSE(ParseAnswer(Switches(), inside).is_well_formed);
  EXPECT_FALSE(ParseAnswer(Switches(), "<think><answer>\nTLS = y\n</answer>").is_well_formed);
}

TEST(AnswerTest, SeveralAnswersAreNone) {
  const std::string_view twice = "<answer>\nTLS = y\n</answer><answer>\nTLS = n\n</answer>";
  EXPECT_FALSE(ParseAnswer(Switches(), twice).is_well_formed);
  EXPECT_FALSE(ParseAnswer(Switches(), "TLS = y").is_well_formed);
  EXPECT_FALSE(ParseAnswer(Switches(), "").is_well_formed);
}

TEST(AnswerTest, MenusAreNamedByWhatIsShown) {
  const Answer answer = ParseAnswer(Menus(), "<answer>\nGeneral setup\nDrivers\n</answer>");
  EXPECT_THAT(answer.decisions, ElementsAre(Decision{"General setup", "y"}));
  EXPECT_EQ(answer.faults.size(), 1U);
}

TEST(AnswerTest, AChoiceHasOneAnswer) {
  Question choice = Menus();
  choice.kind = QuestionKind::kChoice;
  const Answer answer = ParseAnswer(choice, "<answer>\nNET\nGeneral setup\n</answer>");
  EXPECT_THAT(answer.decisions, ElementsAre(Decision{"NET", "y"}));
  EXPECT_THAT(answer.faults,
              ElementsAre(AnswerFault{"General setup", "a choice has one answer", true}));
}

TEST(AnswerTest, WhatIsWrittenIsReadBack) {
  const std::vector<Decision> decisions = {{"NET", "n"}, {"TLS", "m"}};
  EXPECT_EQ(ParseAnswer(Switches(), AnswerText(Switches(), decisions)).decisions, decisions);
  const std::vector<Decision> open = {{"NET", "y"}};
  EXPECT_EQ(ParseAnswer(Menus(), AnswerText(Menus(), open)).decisions, open);
}

TEST(QuestionTest, KindsHaveNames) {
  for (const char* name : {"Bool", "Tristate", "Menu", "Choice", "Value"}) {
    EXPECT_EQ(NameOf(*QuestionKindNamed(name)), name);
  }
  EXPECT_FALSE(QuestionKindNamed("bool"));
}

}  // namespace
}  // namespace hone::agent
