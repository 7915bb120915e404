// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/questions/kconfig_questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/kconfig/reason/text_tree_for_test.h"

namespace hone::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kPageTree = R"(mainmenu "Test"

config MODULES
	bool "modules"
	default y
	modules

config NET
	bool "net"
	default y
	select CRC

config CRC
	bool "crc"

config CARD
	tristate "card"

choice
	prompt "model"
	default DESKTOP
config SERVER
	bool "server"
config DESKTOP
	bool "desktop"
endchoice

config SHIFT
	int "shift"
	range 12 25
	default 17

menu "Same"
config A
	bool "a"
endmenu
menu "Same"
config B
	bool "b"
endmenu
)";

class KconfigQuestionsTest : public testing::Test {
 protected:
  std::vector<KconfigQuestion> Ask(std::size_t max_items = 10) const {
    const auto page = kconfig::WalkMenu(*tree_.index, tree_.configuration, 0);
    return QuestionsOf(tree_.configuration, page, max_items);
  }
  std::vector<std::string> KeysOf(const KconfigQuestion& asked) const {
    std::vector<std::string> keys;
    for (const QuestionItem& item : asked.question.items) keys.push_back(item.key);
    return keys;
  }
  std::vector<QuestionKind> KindsOf(const std::vector<KconfigQuestion>& all) const {
    std::vector<QuestionKind> kinds;
    for (const KconfigQuestion& asked : all) kinds.push_back(asked.question.kind);
    return kinds;
  }

  kconfig::TextTree tree_{kPageTree};
};

TEST_F(KconfigQuestionsTest, APageHasQuestionsOfEveryKind) {
  const auto all = Ask();
  EXPECT_THAT(KindsOf(all),
              ElementsAre(QuestionKind::kChoice, QuestionKind::kValue, QuestionKind::kBool,
                          QuestionKind::kTristate, QuestionKind::kMenu));
  EXPECT_EQ(all[0].question.title, "model");
  EXPECT_EQ(all[0].question.items[1],
            (QuestionItem{.key = "DESKTOP", .prompt = "desktop", .value = "y"}));
  EXPECT_EQ(
      all[1].question.items[0],
      (QuestionItem{
          .key = "SHIFT", .prompt = "shift", .value = "17", .lowest = "12", .highest = "25"}));
  EXPECT_THAT(all[3].question.items[0].allowed, ElementsAre("n", "m", "y"));
}

TEST_F(KconfigQuestionsTest, WhatASelectHoldsIsNotAsked) {
  EXPECT_THAT(KeysOf(Ask()[2]), ElementsAre("MODULES", "NET"));
  tree_.Set("NET", "n");
  EXPECT_THAT(KeysOf(Ask()[2]), ElementsAre("MODULES", "NET", "CRC"));
}

TEST_F(KconfigQuestionsTest, WithoutModulesATristateIsABool) {
  tree_.Set("MODULES", "n");
  EXPECT_THAT(KeysOf(Ask()[2]), ElementsAre("MODULES", "NET", "CARD"));
}

TEST_F(KconfigQuestionsTest, MenusOfOneTitleHaveKeysOfTheirOwn) {
  const auto all = Ask();
  EXPECT_THAT(KeysOf(all[4]), ElementsAre("Same", "Same (2)"));
  EXPECT_NE(all[4].nodes[0], all[4].nodes[1]);
}

TEST_F(KconfigQuestionsTest, GroupsAreNoLargerThanAskedFor) {
  for (const std::size_t max : {0U, 1U}) {
    for (const KconfigQuestion& asked : Ask(max)) {
      const bool is_choice = asked.question.kind == QuestionKind::kChoice;
      EXPECT_EQ(asked.question.items.size(), is_choice ? 2U : 1U);
      EXPECT_EQ(asked.nodes.size(), asked.question.items.size());
    }
  }
}

TEST_F(KconfigQuestionsTest, AnEmptyPageAsksNothing) {
  EXPECT_THAT(QuestionsOf(tree_.configuration, {}, 10), IsEmpty());
}

}  // namespace
}  // namespace hone::agent
