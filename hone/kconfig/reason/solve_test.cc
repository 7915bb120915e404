// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/solve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "hone/kconfig/reason/reason_json.h"
#include "hone/kconfig/reason/reason_text.h"
#include "hone/kconfig/reason/text_tree_for_test.h"

namespace hone::kconfig {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr const char* kModules = "config MODULES\n\tbool \"Modules\"\n\tdefault y\n\tmodules\n\n";

SolveAnswer Ask(const TextTree& tree, const std::vector<std::string>& wishes,
                const std::vector<std::string>& kept = {}, std::size_t alternatives = 1) {
  SolveRequest request;
  for (const std::string& wish : wishes) {
    auto parsed = ParseWish(tree.tree(), wish);
    EXPECT_TRUE(parsed) << wish;
    if (parsed) request.wishes.push_back(*parsed);
  }
  for (const std::string& name : kept) request.kept.push_back(tree.Id(name));
  request.alternatives = alternatives;
  auto answer = Solver(tree.index).Solve(tree.configuration, request);
  EXPECT_TRUE(answer) << answer.error().message;
  return answer ? *answer : SolveAnswer{};
}

std::vector<std::string> Show(const TextTree& tree, const std::vector<Change>& changes) {
  std::vector<std::string> shown;
  for (const Change& change : changes) {
    shown.push_back(std::string(tree.tree().symbol(change.symbol).name) + "=" + change.after);
  }
  return shown;
}

std::vector<std::string> SettingsFor(const TextTree& tree, const std::vector<std::string>& wishes,
                                     const std::vector<std::string>& kept = {}) {
  const SolveAnswer answer = Ask(tree, wishes, kept);
  EXPECT_EQ(answer.solutions.size(), 1U);
  return answer.solutions.empty() ? std::vector<std::string>{}
                                  : Show(tree, answer.solutions.front().settings);
}

std::string ConflictFor(const TextTree& tree, const std::vector<std::string>& wishes,
                        const std::vector<std::string>& kept = {}) {
  const SolveAnswer answer = Ask(tree, wishes, kept);
  EXPECT_TRUE(answer.solutions.empty());
  std::string text;
  for (const Clause& clause : answer.conflict) text += clause.text + "\n";
  return text;
}

TEST(SolveTest, WhatIsSoAlreadyNeedsNothing) {
  const TextTree tree("config A\n\tbool \"a\"\n\tdefault y\n");
  const SolveAnswer answer = Ask(tree, {"A=y"});
  ASSERT_EQ(answer.solutions.size(), 1U);
  EXPECT_TRUE(answer.solutions[0].settings.empty());
  EXPECT_TRUE(answer.solutions[0].effects.empty());
}

TEST(SolveTest, DependenciesAreSwitchedOnToo) {
  const TextTree tree(
      "config A\n\tbool \"a\"\nconfig B\n\tbool \"b\"\n\tdepends on A\n"
      "config C\n\tbool \"c\"\n\tdepends on B\n");
  EXPECT_THAT(SettingsFor(tree, {"C=y"}), UnorderedElementsAre("A=y", "B=y", "C=y"));
}

TEST(SolveTest, EffectsTellWhatElseMoves) {
  const TextTree tree(
      "config A\n\tbool \"a\"\n\tselect S\nconfig S\n\tbool\n"
      "config D\n\tbool \"d\"\n\tdefault y\n\tdepends on A\n");
  const SolveAnswer answer = Ask(tree, {"A=y"});
  ASSERT_EQ(answer.solutions.size(), 1U);
  EXPECT_THAT(Show(tree, answer.solutions[0].settings), ElementsAre("A=y"));
  EXPECT_THAT(Show(tree, answer.solutions[0].effects), UnorderedElementsAre("A=y", "S=y", "D=y"));
}

TEST(SolveTest, OneSelectorIsFewerChangesThanAChainOfDependencies) {
  const TextTree tree(
      "config A\n\tbool \"a\"\nconfig B\n\tbool \"b\"\n\tdepends on A\n"
      "config C\n\tbool \"c\"\n\tdepends on B\nconfig X\n\tbool \"x\"\n\tselect C\n");
  EXPECT_THAT(SettingsFor(tree, {"C=y"}), ElementsAre("X=y"));
  EXPECT_THAT(SettingsFor(tree, {"C=y"}, {"X"}), UnorderedElementsAre("A=y", "B=y", "C=y"));
}

TEST(SolveTest, OfEquallyManyChangesTheOneWithFewestEffectsIsTaken) {
  const TextTree tree(
      "config P\n\tbool \"p\"\n\tselect T\n\tselect U\n\tselect V\n"
      "config Q\n\tbool \"q\"\n\tselect T\n"
      "config T\n\tbool\nconfig U\n\tbool\nconfig V\n\tbool\n");
  EXPECT_THAT(SettingsFor(tree, {"T=y"}), ElementsAre("Q=y"));
}

TEST(SolveTest, WhatSelectsMustGo) {
  TextTree tree(
      "config A\n\tbool \"a\"\n\tselect T\nconfig B\n\tbool \"b\"\n\tselect T if A\n"
      "config T\n\tbool \"t\"\n");
  tree.Set("A", "y");
  tree.Set("B", "y");
  EXPECT_THAT(SettingsFor(tree, {"T=n"}), ElementsAre("A=n"));
  EXPECT_THAT(ConflictFor(tree, {"T=n", "A=y"}), HasSubstr("selected by A (Kconfig:3)"));
}

TEST(SolveTest, NothingIsSwitchedOffThatMustStay) {
  TextTree tree("config A\n\tbool \"a\"\n\tselect T\nconfig T\n\tbool \"t\"\n");
  tree.Set("A", "y");
  const std::string conflict = ConflictFor(tree, {"T=n"}, {"A"});
  EXPECT_THAT(conflict, HasSubstr("T=n is asked for"));
  EXPECT_THAT(conflict, HasSubstr("A must stay y"));
}

TEST(SolveTest, KeepsWhatWouldOnlyBeAffected) {
  TextTree tree(
      "config A\n\tbool \"a\"\nconfig B\n\tbool \"b\"\n"
      "config T\n\tbool \"t\"\n\tdepends on A || B\nconfig H\n\tbool\n\tdefault y if A\n");
  EXPECT_THAT(SettingsFor(tree, {"T=y"}, {"H"}), UnorderedElementsAre("B=y", "T=y"));
}

TEST(SolveTest, WhatMustStayIsSetWhereItsDefaultMoves) {
  TextTree tree(
      "config A\n\tbool \"a\"\nconfig N\n\tint \"n\"\n\trange 1 9\n\tdefault 2 if A\n\tdefault 5\n"
      "config B\n\tbool \"b\"\n\tdefault A\n"
      "choice\n\tprompt \"c\"\n\tdefault C2 if A\n\tdefault C1\n"
      "config C1\n\tbool \"c1\"\nconfig C2\n\tbool \"c2\"\nendchoice\n");
  EXPECT_THAT(SettingsFor(tree, {"A=y"}, {"N"}), UnorderedElementsAre("A=y", "N=5"));
  EXPECT_THAT(SettingsFor(tree, {"A=y"}, {"B"}), UnorderedElementsAre("A=y", "B=n"));
  EXPECT_THAT(SettingsFor(tree, {"A=y"}, {"C1"}), UnorderedElementsAre("A=y", "C1=y"));
}

TEST(SolveTest, RefusalNamesTheSymbolThatNoFileDefines) {
  const TextTree tree("config T\n\tbool \"t\"\n\tdepends on NOWHERE\n");
  EXPECT_THAT(ConflictFor(tree, {"T=y"}), HasSubstr("NOWHERE: no file of the tree defines it"));
}

TEST(SolveTest, RefusalHoldsOnlyWhatIsNeeded) {
  const TextTree tree(
      "config A\n\tbool \"a\"\nconfig B\n\tbool \"b\"\n\tdepends on !A\n"
      "config C\n\tbool \"c\"\n\tdepends on A\nconfig E\n\tbool \"e\"\n\tdepends on A || B || C\n");
  const SolveAnswer answer = Ask(tree, {"B=y", "C=y", "E=y"});
  ASSERT_TRUE(answer.solutions.empty());
  std::vector<std::string> wishes;
  for (const Clause& clause : answer.conflict) {
    if (clause.kind == ClauseKind::kWish) wishes.push_back(clause.text);
  }
  EXPECT_THAT(wishes, UnorderedElementsAre("B=y is asked for", "C=y is asked for"));
  EXPECT_EQ(answer.conflict.size(), 4U);  // Each of the two wishes with its rule.
}

TEST(SolveTest, MembersOfAChoiceAreSelected) {
  const TextTree tree(
      "config GATE\n\tbool \"gate\"\nchoice\n\tprompt \"one of\"\nconfig A\n\tbool \"a\"\n"
      "config B\n\tbool \"b\"\nconfig C\n\tbool \"c\"\n\tdepends on GATE\nendchoice\n");
  EXPECT_THAT(SettingsFor(tree, {"B=y"}), ElementsAre("B=y"));
  EXPECT_THAT(SettingsFor(tree, {"A=n"}), ElementsAre("B=y"));
  EXPECT_THAT(SettingsFor(tree, {"C=y"}), UnorderedElementsAre("GATE=y", "C=y"));
  EXPECT_THAT(ConflictFor(tree, {"A=y", "B=y"}), HasSubstr("one of"));
  EXPECT_FALSE(Ask(tree, {"A=n", "B=n"}).solutions.empty());  // C
  EXPECT_TRUE(Ask(tree, {"A=n", "B=n", "GATE=n"}).solutions.empty());
}

TEST(SolveTest, GroupsOfBoolsAreChoicesToo) {
  TextTree tree(
      "config GATE\n\tbool \"gate\"\nchoice\n\tprompt \"one of\"\nconfig A\n\tbool \"a\"\n"
      "config B\n\tbool \"b\"\nconfig C\n\tbool \"c\"\n\tdepends on GATE\nendchoice\n",
      "linux-6.11");
  EXPECT_THAT(SettingsFor(tree, {"B=y"}), ElementsAre("B=y"));
  tree.Set("B", "y");
  EXPECT_THAT(SettingsFor(tree, {"A=y"}), ElementsAre("A=y"));
  EXPECT_THAT(SettingsFor(tree, {"C=y"}), UnorderedElementsAre("GATE=y", "C=y"));
  EXPECT_TRUE(Ask(tree, {"A=y", "B=y"}).solutions.empty());
}

TEST(SolveTest, ATristateChoiceIsYOrLetsSeveralBeM) {
  const TextTree tree(std::string(kModules) +
                      "choice\n\ttristate \"drivers\"\nconfig A\n\ttristate \"a\"\n"
                      "config B\n\ttristate \"b\"\nendchoice\n");
  EXPECT_EQ(Ask(tree, {"A=m", "B=m"}).solutions.size(), 1U);
  EXPECT_EQ(Ask(tree, {"A=y"}).solutions.size(), 1U);
  EXPECT_EQ(Ask(tree, {"A=y", "B=n"}).solutions.size(), 1U);
  EXPECT_TRUE(Ask(tree, {"A=y", "B=m"}).solutions.empty());
  EXPECT_TRUE(Ask(tree, {"A=y", "B=y"}).solutions.empty());
}

TEST(SolveTest, AnOptionalChoiceMayHaveNothing) {
  TextTree tree(
      "choice\n\tbool \"one of\"\n\toptional\nconfig A\n\tbool \"a\"\n"
      "config B\n\tbool \"b\"\nendchoice\n");
  EXPECT_EQ(Ask(tree, {"A=n", "B=n"}).solutions.size(), 1U);
  EXPECT_EQ(Ask(tree, {"B=y"}).solutions.size(), 1U);
  EXPECT_TRUE(Ask(tree, {"A=y", "B=y"}).solutions.empty());
}

TEST(SolveTest, ATristateIsMOnlyWithModules) {
  TextTree tree(std::string(kModules) + "config T\n\ttristate \"t\"\n");
  EXPECT_THAT(SettingsFor(tree, {"T=m"}), ElementsAre("T=m"));
  tree.Set("MODULES", "n");
  EXPECT_THAT(SettingsFor(tree, {"T=m"}), UnorderedElementsAre("MODULES=y", "T=m"));
  EXPECT_TRUE(Ask(tree, {"T=m"}, {"MODULES"}).solutions.empty());
}

TEST(SolveTest, WhatDependsOnAModuleIsAModuleAtMost) {
  TextTree tree(std::string(kModules) +
                "config A\n\ttristate \"a\"\nconfig B\n\ttristate \"b\"\n\tdepends on A\n");
  tree.Set("A", "m");
  EXPECT_THAT(SettingsFor(tree, {"B=m"}), ElementsAre("B=m"));
  EXPECT_THAT(SettingsFor(tree, {"B=y"}), UnorderedElementsAre("A=y", "B=y"));
  EXPECT_TRUE(Ask(tree, {"B=y"}, {"A"}).solutions.empty());
}

TEST(SolveTest, NumbersAreSetWithinTheirRange) {
  const TextTree tree(
      "config FAST\n\tbool \"fast\"\nconfig HZ\n\tint \"hz\"\n\trange 100 1000 if FAST\n"
      "\trange 100 300\n\tdefault 100\n");
  EXPECT_THAT(SettingsFor(tree, {"HZ=250"}), ElementsAre("HZ=250"));
  EXPECT_THAT(SettingsFor(tree, {"HZ=500"}), UnorderedElementsAre("FAST=y", "HZ=500"));
  EXPECT_THAT(ConflictFor(tree, {"HZ=2000"}), HasSubstr("range 100 1000 if FAST (Kconfig:5)"));
}

TEST(SolveTest, ComparisonsAreMetByChangingTheNumber) {
  const TextTree tree(
      "config N\n\tint \"n\"\n\tdefault 1\nconfig BIG\n\tbool \"big\"\n\tdepends on N > 7\n"
      "config ODD\n\tbool\n\tdefault y if N != 1 && N < 3\n");
  const SolveAnswer big = Ask(tree, {"BIG=y"});
  ASSERT_EQ(big.solutions.size(), 1U);
  EXPECT_EQ(big.solutions[0].settings.size(), 2U);
  EXPECT_EQ(Ask(tree, {"ODD=y"}).solutions.size(), 1U);
  EXPECT_TRUE(Ask(tree, {"ODD=y", "BIG=y"}).solutions.empty());
}

TEST(SolveTest, TextsAreComparedToo) {
  const TextTree tree(
      "config NAME\n\tstring \"name\"\n\tdefault \"\"\n"
      "config HAS\n\tbool\n\tdefault y if NAME != \"\"\n"
      "config IS_A\n\tbool\n\tdefault y if NAME = \"a\"\n");
  EXPECT_EQ(Ask(tree, {"HAS=y"}).solutions.size(), 1U);
  EXPECT_THAT(SettingsFor(tree, {"IS_A=y"}), ElementsAre("NAME=a"));
  EXPECT_EQ(Ask(tree, {"HAS=y", "IS_A=n"}).solutions.size(), 1U);
  EXPECT_TRUE(Ask(tree, {"HAS=n", "IS_A=y"}).solutions.empty());
}

TEST(SolveTest, DefaultsThatFollowAnotherNumberAreFollowed) {
  const TextTree tree(
      "config BASE\n\tint \"base\"\n\tdefault 4\nconfig COPY\n\tint\n\tdefault BASE\n"
      "config TOP\n\tint \"top\"\n\trange 0 BASE\n\tdefault 9\n");
  EXPECT_EQ(tree.Value("TOP"), "4");
  EXPECT_THAT(SettingsFor(tree, {"COPY=4"}), ElementsAre());
  EXPECT_TRUE(Ask(tree, {"TOP=4"}).solutions[0].settings.empty());
}

TEST(SolveTest, ImplyGivesWayToTheUser) {
  TextTree tree("config A\n\tbool \"a\"\n\timply T\nconfig T\n\tbool \"t\"\n");
  EXPECT_THAT(SettingsFor(tree, {"A=y", "T=n"}), UnorderedElementsAre("A=y", "T=n"));
  EXPECT_THAT(SettingsFor(tree, {"A=y", "T=y"}), ElementsAre("A=y"));
}

TEST(SolveTest, WhatHasNoPromptFollowsItsDefault) {
  const TextTree tree(
      "config A\n\tbool \"a\"\nconfig H\n\tbool\n\tdefault y if A\nconfig Z\n\tbool\n");
  EXPECT_THAT(SettingsFor(tree, {"H=y"}), ElementsAre("A=y"));
  EXPECT_THAT(ConflictFor(tree, {"Z=y"}), HasSubstr("it has no prompt (Kconfig:6)"));
}

TEST(SolveTest, AlternativesComeBestFirst) {
  const TextTree tree(
      "config A\n\tbool \"a\"\nconfig B\n\tbool \"b\"\nconfig C\n\tbool \"c\"\n\tdepends on B\n"
      "config T\n\tbool \"t\"\n\tdepends on A || C\n");
  const SolveAnswer answer = Ask(tree, {"T=y"}, {}, 5);
  ASSERT_EQ(answer.solutions.size(), 2U);
  EXPECT_THAT(Show(tree, answer.solutions[0].settings), UnorderedElementsAre("A=y", "T=y"));
  EXPECT_THAT(Show(tree, answer.solutions[1].settings), UnorderedElementsAre("B=y", "C=y", "T=y"));
}

TEST(SolveTest, AnswersReadAsADifferenceOfConfigFiles) {
  const TextTree tree(
      "config A\n\tbool \"a\"\n\tselect S\nconfig S\n\tbool\n"
      "config N\n\tint \"n\"\n\tdefault 1\n");
  EXPECT_EQ(ToText(tree.configuration, Ask(tree, {"A=y", "N=2"})),
            "set 2 (*), 3 in all change:\n"
            "* -# CONFIG_A is not set\n* +CONFIG_A=y\n"
            "  +CONFIG_S=y\n"
            "* -CONFIG_N=1\n* +CONFIG_N=2\n");
  EXPECT_EQ(ToText(tree.configuration, Ask(tree, {"A=n"})),
            "it is so already; nothing to change\n");
  EXPECT_EQ(ToText(tree.configuration, Ask(tree, {"A=y", "S=n"})),
            "There is no way. These cannot all be true:\n"
            "  A=y is asked for\n  S=n is asked for\n"
            "  at least what it forces: S: selected by A (Kconfig:3)\n");
  const Json json = ToJson(tree.tree(), Ask(tree, {"A=y"}));
  EXPECT_EQ(json["is_possible"], true);
  EXPECT_EQ(json["solutions"][0]["settings"][0]["symbol"], "A");
  EXPECT_EQ(json["solutions"][0]["effects"].size(), 2U);
}

TEST(SolveTest, SeveralThreadsMayAskAtOnce) {
  const TextTree tree(
      "config A\n\tbool \"a\"\nconfig B\n\tbool \"b\"\n\tdepends on A\n"
      "config C\n\tbool \"c\"\n\tdepends on B\n");
  const Solver solver(tree.index);
  std::vector<std::size_t> found(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t& count : found) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const auto answer = solver.Solve(tree.configuration, {.wishes = {{tree.Id("C"), "y"}}});
        if (answer && answer->solutions.front().settings.size() == 3) ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(found, ElementsAre(50, 50, 50, 50));
}

TEST(SolveTest, AWishThatCannotBeSaidIsAnError) {
  const TextTree tree("config A\n\tbool \"a\"\nconfig N\n\tint \"n\"\n");
  const Solver solver(tree.index);
  const auto bad_bool = solver.Solve(tree.configuration, {.wishes = {{tree.Id("A"), "m"}}});
  ASSERT_FALSE(bad_bool);
  EXPECT_EQ(bad_bool.error().message, "A: \"m\" is no value of a bool");
  const auto bad_int = solver.Solve(tree.configuration, {.wishes = {{tree.Id("N"), "ten"}}});
  ASSERT_FALSE(bad_int);
  EXPECT_EQ(bad_int.error().message, "N: \"ten\" is no value of a int");
  const auto unknown = ParseWish(tree.tree(), "B=y");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Errc::kNotFound);
  EXPECT_FALSE(ParseWish(tree.tree(), "A"));
  EXPECT_EQ(ParseWish(tree.tree(), "CONFIG_A=y")->symbol, tree.Id("A"));
}

}  // namespace
}  // namespace hone::kconfig
