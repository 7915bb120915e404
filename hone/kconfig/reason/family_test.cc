// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/kconfig/reason/reason_text.h"
#include "hone/kconfig/reason/text_tree_for_test.h"

namespace hone::kconfig {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// FAST needs the second board and nothing else, or the first one and two more options.
const std::string kBoards =
    "choice\n\tprompt \"Target select\"\nconfig FIRST_BOARD\n\tbool \"first\"\n"
    "config SECOND_BOARD\n\tbool \"second\"\nendchoice\n"
    "choice\n\tprompt \"Timer frequency\"\nconfig HZ_100\n\tbool \"100\"\n"
    "config HZ_250\n\tbool \"250\"\nendchoice\n"
    "config A\n\tbool \"a\"\nconfig B\n\tbool \"b\"\nconfig C\n\tbool \"c\"\n"
    "config FAST\n\tbool \"fast\"\n\tdepends on SECOND_BOARD || (A && B && C)\n"
    "config ONLY\n\tbool \"only\"\n\tdepends on SECOND_BOARD\n";

class FamilyTest : public testing::Test {
 protected:
  FamilyTest() : tree_(kBoards, "linux-6.1", "arch/Kconfig") {}

  SolveRequest Wanting(const std::string& wish) const {
    SolveRequest request;
    request.wishes = {*ParseWish(tree_.tree(), wish)};
    return request;
  }
  Solution Best(const std::string& wish) const {
    return Solver(tree_.index).Solve(tree_.configuration, Wanting(wish))->solutions.at(0);
  }
  std::optional<Solution> Nearest(const std::string& wish) const {
    return *NearestInFamily(Solver(tree_.index), tree_.configuration, Wanting(wish));
  }
  std::vector<std::string> Names(const std::vector<Change>& changes) const {
    std::vector<std::string> names;
    for (const Change& change : changes) {
      names.push_back(std::string(tree_.tree().symbol(change.symbol).name) + "=" + change.after);
    }
    return names;
  }

  TextTree tree_;
};

TEST_F(FamilyTest, ASolutionThatChangesTheBoardSaysSo) {
  EXPECT_THAT(Names(FamilyChanges(tree_.tree(), Best("FAST=y"))),
              testing::UnorderedElementsAre("FIRST_BOARD=n", "SECOND_BOARD=y"));
  EXPECT_THAT(FamilyChanges(tree_.tree(), Best("HZ_250=y")), IsEmpty());
}

TEST_F(FamilyTest, TheNearestThatKeepsTheBoardIsOffered) {
  const auto nearest = Nearest("FAST=y");
  ASSERT_TRUE(nearest);
  EXPECT_THAT(Names(nearest->settings),
              testing::UnorderedElementsAre("A=y", "B=y", "C=y", "FAST=y"));
  EXPECT_THAT(FamilyChanges(tree_.tree(), *nearest), IsEmpty());
}

TEST_F(FamilyTest, ThereMayBeNoneThatKeepsIt) { EXPECT_FALSE(Nearest("ONLY=y")); }

TEST_F(FamilyTest, WhoWishesForABoardIsNotOfferedTheOldOne) {
  EXPECT_FALSE(Nearest("SECOND_BOARD=y"));
}

TEST(FamilyChoiceTest, ChoicesElsewhereAreNoFamilies) {
  const TextTree tree(kBoards, "linux-6.1", "drivers/Kconfig");
  EXPECT_FALSE(IsFamily(tree.tree(), tree.Id("FIRST_BOARD")));
}

TEST(CommandsBehindTest, WhatACommandGaveHereIsNamedWhereThereIsNoWay) {
  const TextTree tree(
      "config OTHER\n\tdef_bool $(shell,echo other)\n"
      "config HAS_PLUGINS\n\tdef_bool $(shell,test -e plugins && echo y || echo n)\n"
      "config PLUGINS\n\tbool \"plugins\"\n\tdepends on HAS_PLUGINS\n");
  SolveRequest request;
  request.wishes = {*ParseWish(tree.tree(), "PLUGINS=y")};
  const auto answer = Solver(tree.index).Solve(tree.configuration, request);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->commands.size(), 1U);
  EXPECT_EQ(answer->commands[0].command, "test -e plugins && echo y || echo n");
  EXPECT_EQ(tree.tree().Show(answer->commands[0].where), "Kconfig:4");
  const std::string text = ToText(tree.configuration, *answer);
  EXPECT_THAT(text, HasSubstr("test -e plugins"));
  EXPECT_THAT(text, Not(HasSubstr("echo other")));
}

}  // namespace
}  // namespace hone::kconfig
