// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/kconfig/reason/reason_json.h"
#include "hone/kconfig/reason/reason_text.h"
#include "hone/kconfig/reason/text_tree_for_test.h"

namespace hone::kconfig {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kWalkTree = R"(mainmenu "Test"

config MODULES
	bool "modules"
	default y
	modules

comment "not a question"

menuconfig NET
	bool "net"
	default y

config CARD
	tristate "card"
	depends on NET
	select CRC
	help
	  A card.

config HIDDEN
	bool "hidden"
	depends on !NET

config CRC
	tristate "crc"

choice
	prompt "model"
	default DESKTOP
config SERVER
	bool "server"
config DESKTOP
	bool "desktop"
endchoice

menu "Numbers"

config SHIFT
	int "shift"
	range 12 25
	default 17

config NAME
	string "name"

endmenu
)";

class WalkTest : public ::testing::Test {
 protected:
  MenuPage Page(MenuId menu = 0) const { return WalkMenu(*tree_.index, tree_.configuration, menu); }

  Question Find(const MenuPage& page, const std::string& prompt, QuestionKind kind) const {
    for (const Question& question : page.questions) {
      if (question.prompt == prompt && question.kind == kind) return question;
    }
    ADD_FAILURE() << "no question " << prompt;
    return {};
  }

  TextTree tree_{kWalkTree};
};

std::vector<std::string> Show(const MenuPage& page) {
  std::vector<std::string> shown;
  for (const Question& question : page.questions) {
    shown.push_back(std::string(NameOf(question.kind)) + " " + question.prompt);
  }
  return shown;
}

TEST_F(WalkTest, AMenuIsQuestionsOfFourKindsInTheirOrder) {
  EXPECT_THAT(Show(Page()), ElementsAre("Bool modules", "Bool net", "Menu net", "Bool crc",
                                        "Choice model", "Menu Numbers"));
}

TEST_F(WalkTest, WhatLiesBelowAnEntryIsItsOwnPage) {
  const Question net = Find(Page(), "net", QuestionKind::kMenu);
  EXPECT_EQ(net.inside, 1U);
  const MenuPage below = Page(net.menu);
  EXPECT_THAT(Show(below), ElementsAre("Bool card"));
  EXPECT_THAT(below.path, ElementsAre("Test", "net"));
  tree_.Set("NET", "n");
  EXPECT_THAT(Show(Page(net.menu)), ElementsAre("Bool hidden"));
}

TEST_F(WalkTest, TristatesSayWhatTheyMayBeNow) {
  const MenuPage below = Page(Find(Page(), "net", QuestionKind::kMenu).menu);
  const Question card = Find(below, "card", QuestionKind::kBool);
  EXPECT_EQ(card.type, SymbolType::kTristate);
  EXPECT_THAT(card.assignable, ElementsAre("n", "m", "y"));
  EXPECT_THAT(card.help, HasSubstr("A card."));
  EXPECT_EQ(card.depends_on, "NET");
  tree_.Set("CARD", "m");
  const Question crc = Find(Page(), "crc", QuestionKind::kBool);
  EXPECT_THAT(crc.assignable, ElementsAre("m", "y"));
  EXPECT_THAT(crc.selected_by, ElementsAre("CARD"));
  tree_.Set("CARD", "y");
  EXPECT_THAT(Find(Page(), "crc", QuestionKind::kBool).assignable, IsEmpty());
}

TEST_F(WalkTest, ChoicesAndValuesSayWhatTheyMayBe) {
  const Question model = Find(Page(), "model", QuestionKind::kChoice);
  EXPECT_EQ(model.value, "DESKTOP");
  EXPECT_EQ(model.default_value, "DESKTOP");
  EXPECT_THAT(model.assignable, ElementsAre("SERVER", "DESKTOP"));
  const MenuPage numbers = Page(Find(Page(), "Numbers", QuestionKind::kMenu).menu);
  const Question shift = Find(numbers, "shift", QuestionKind::kValue);
  EXPECT_EQ(shift.value, "17");
  EXPECT_EQ(shift.lowest, "12");
  EXPECT_EQ(shift.highest, "25");
}

TEST_F(WalkTest, GroupsHoldOneKindAndAtMostTheirSize) {
  const std::vector<QuestionGroup> groups = GroupsOf(Page(), 2);
  std::vector<std::string> shown;
  for (const QuestionGroup& group : groups) {
    shown.push_back(std::string(NameOf(group.kind)) + std::to_string(group.questions.size()));
  }
  EXPECT_THAT(shown, ElementsAre("Choice1", "Bool2", "Bool1", "Menu2"));
}

TEST_F(WalkTest, AMenuIsFoundByItsTitle) {
  const auto titled = MenusTitled(tree_.tree(), "numbers");
  ASSERT_TRUE(titled) << titled.error().message;
  ASSERT_EQ(titled->size(), 1U);
  EXPECT_EQ(Page(titled->front()).title, "Numbers");
  EXPECT_THAT(MenusTitled(tree_.tree(), "Numbesr").error().message,
              HasSubstr("did you mean \"Numbers\"?"));
}

TEST_F(WalkTest, HiddenOnesAreShownOnRequest) {
  const MenuId net = Find(Page(), "net", QuestionKind::kMenu).menu;
  const MenuPage page =
      WalkMenu(*tree_.index, tree_.configuration, net, {.shows_hidden = true, .wants_help = false});
  EXPECT_THAT(Show(page), ElementsAre("Bool card", "Bool hidden"));
}

TEST_F(WalkTest, PagesAreDataAndText) {
  const Json json = ToJson(tree_.tree(), Page());
  EXPECT_EQ(json["title"], "Test");
  EXPECT_EQ(json["questions"].size(), 6U);
  EXPECT_EQ(json["questions"][4]["assignable"].size(), 2U);
  EXPECT_THAT(ToText(tree_.tree(), Page()), HasSubstr("Choice  model (<model>) = DESKTOP"));
}

}  // namespace
}  // namespace hone::kconfig
