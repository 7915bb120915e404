// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/walk/walk_agenda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/walk/walked_tree_for_test.h"

namespace hone::agent {
namespace {

using testing::ElementsAre;

class WalkAgendaTest : public testing::Test {
 protected:
  std::vector<std::string> AllIn(WalkAgenda& agenda, kconfig::MenuId menu) const {
    std::vector<std::string> all;
    while (const auto question = agenda.NextIn(tree_.configuration, menu)) {
      for (const QuestionItem& item : question->question.items) all.push_back(item.key);
      agenda.MarkAsked(*question);
    }
    return all;
  }

  kconfig::TextTree tree_{kWalkedTree};
  WalkAgenda agenda_{tree_.index, 2, false};
};

TEST_F(WalkAgendaTest, AMenuIsAskedOnceInGroupsMenusLast) {
  EXPECT_THAT(AllIn(agenda_, 0), ElementsAre("DESKTOP", "SERVER", "SHIFT", "MODULES", "EXPERT",
                                             "LOCK", "EXPERT", "Drivers"));
  EXPECT_THAT(AllIn(agenda_, 0), ElementsAre());
}

TEST_F(WalkAgendaTest, WhatMayBeMoreThanBeforeIsAskedAgain) {
  tree_.Set("MODULES", "n");
  WalkAgenda agenda(tree_.index, 10, true);
  const auto find = [&](const char* name) {
    return tree_.tree().menu(tree_.tree().symbol(tree_.Id(name)).first_menu).parent;
  };
  const kconfig::MenuId drivers = find("CARD");
  EXPECT_THAT(AllIn(agenda, drivers), ElementsAre("CARD"));
  tree_.Set("CARD", "y");
  EXPECT_THAT(AllIn(agenda, drivers), ElementsAre());
  tree_.Set("MODULES", "y");
  EXPECT_THAT(AllIn(agenda, drivers), ElementsAre("CARD"));
  tree_.Set("MODULES", "n");
  EXPECT_THAT(AllIn(agenda, drivers), ElementsAre());
}

TEST_F(WalkAgendaTest, WhatIsNotOpenedIsNotEntered) {
  const auto before = agenda_.Below(tree_.configuration, 0);
  std::vector<kconfig::MenuId> menus;
  while (const auto question = agenda_.NextIn(tree_.configuration, 0)) {
    if (question->question.kind == QuestionKind::kMenu) menus = question->nodes;
    agenda_.MarkAsked(*question);
  }
  ASSERT_FALSE(menus.empty());
  for (const kconfig::MenuId menu : menus) agenda_.Open(menu);
  EXPECT_EQ(agenda_.Below(tree_.configuration, 0).size(), before.size() + menus.size());
}

}  // namespace
}  // namespace hone::agent
