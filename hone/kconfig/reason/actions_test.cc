// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/actions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/kconfig/reason/reason_json.h"
#include "hone/kconfig/reason/text_tree_for_test.h"

namespace hone::kconfig {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kActionsTree = R"(config NUMA
	bool "numa"
	select HELPER

config HELPER
	bool "helper"

config BALANCING
	bool "balancing"
	depends on NUMA

config SIMPLE
	bool "simple"
	depends on !NUMA

config SHIFT
	int "shift"
	range 12 25
	default 17

config INNER
	bool

choice
	prompt "model"
config SERVER
	bool "server"
config DESKTOP
	bool "desktop"
endchoice
)";

class ActionsTest : public ::testing::Test {
 protected:
  ActionsAnswer Do(const std::vector<Action>& actions) const {
    return Judge(*tree_.index, tree_.configuration, actions);
  }
  Refusal RefusalOf(const std::string& symbol, const std::string& value) const {
    return Do({{symbol, value}}).verdicts[0].refusal;
  }

  TextTree tree_{kActionsTree};
};

TEST_F(ActionsTest, AcceptedTellsTheConsequences) {
  const ActionsAnswer answer = Do({{"BALANCING", "y"}, {"CONFIG_NUMA", "y"}, {"SHIFT", "20"}});
  ASSERT_TRUE(answer.is_accepted);
  EXPECT_EQ(answer.effects.size(), 4U);  // HELPER too.
  ASSERT_TRUE(answer.after);
  EXPECT_EQ(answer.after->text(tree_.Id("HELPER")), "y");
  EXPECT_EQ(tree_.Value("NUMA"), "n");  // What was given stays as it is.
}

TEST_F(ActionsTest, UnknownSymbolsGetNearNames) {
  const ActionsAnswer answer = Do({{"NUMMA", "y"}});
  EXPECT_FALSE(answer.is_accepted);
  EXPECT_EQ(answer.verdicts[0].refusal, Refusal::kUnknownSymbol);
  EXPECT_THAT(answer.verdicts[0].near, Contains("NUMA"));
}

TEST_F(ActionsTest, EachKindOfRefusalHasItsName) {
  EXPECT_EQ(RefusalOf("NUMA", "m"), Refusal::kWrongType);
  EXPECT_EQ(RefusalOf("SHIFT", "many"), Refusal::kWrongType);
  EXPECT_EQ(RefusalOf("SHIFT", "40"), Refusal::kOutOfRange);
  EXPECT_EQ(RefusalOf("BALANCING", "y"), Refusal::kNotVisible);
  EXPECT_EQ(RefusalOf("INNER", "y"), Refusal::kNoPrompt);
  EXPECT_EQ(RefusalOf("SERVER", "n"), Refusal::kInChoice);
  EXPECT_EQ(RefusalOf("DESKTOP", "y"), Refusal::kNothing);
  tree_.Set("NUMA", "y");
  EXPECT_EQ(RefusalOf("HELPER", "n"), Refusal::kSelected);
}

TEST_F(ActionsTest, ARefusalNamesTheClause) {
  const ActionsAnswer answer = Do({{"BALANCING", "y"}});
  ASSERT_EQ(answer.verdicts[0].blockers.size(), 1U);
  EXPECT_EQ(answer.verdicts[0].blockers[0].clause, "NUMA");
  EXPECT_THAT(answer.verdicts[0].message, HasSubstr("BALANCING cannot be y now"));
}

TEST_F(ActionsTest, OneRefusalRejectsAll) {
  const ActionsAnswer answer = Do({{"NUMA", "y"}, {"SHIFT", "99"}});
  EXPECT_FALSE(answer.is_accepted);
  EXPECT_EQ(answer.verdicts[0].refusal, Refusal::kNothing);
  EXPECT_EQ(answer.verdicts[1].refusal, Refusal::kOutOfRange);
  EXPECT_TRUE(answer.effects.empty());
  EXPECT_FALSE(answer.after);
}

TEST_F(ActionsTest, TheOthersAreJudgedAlthoughOneIsUnknown) {
  const ActionsAnswer answer = Do({{"NUMMA", "y"}, {"SHIFT", "99"}, {"NUMA", "y"}});
  EXPECT_EQ(answer.verdicts[0].refusal, Refusal::kUnknownSymbol);
  EXPECT_EQ(answer.verdicts[1].refusal, Refusal::kOutOfRange);
  EXPECT_EQ(answer.verdicts[2].refusal, Refusal::kNothing);
  EXPECT_FALSE(answer.is_accepted);
}

TEST_F(ActionsTest, ActionsThatExcludeEachOtherSayWhichOnes) {
  const ActionsAnswer rules = Do({{"NUMA", "y"}, {"SIMPLE", "y"}, {"SHIFT", "14"}});
  EXPECT_FALSE(rules.is_accepted);
  EXPECT_EQ(rules.verdicts[1].refusal, Refusal::kConflict);
  EXPECT_THAT(rules.verdicts[1].conflicts, ElementsAre(0));
  EXPECT_EQ(rules.verdicts[2].refusal, Refusal::kNothing);
  const ActionsAnswer twice = Do({{"SHIFT", "14"}, {"SHIFT", "15"}});
  EXPECT_EQ(twice.verdicts[0].refusal, Refusal::kConflict);
  EXPECT_EQ(twice.verdicts[1].refusal, Refusal::kConflict);
  const ActionsAnswer members = Do({{"SERVER", "y"}, {"DESKTOP", "y"}});
  EXPECT_THAT(members.verdicts[0].conflicts, ElementsAre(1));
}

TEST(TransitionalActionTest, ItIsRefusedAndWhatItGaveIsKept) {
  TextTree tree(
      "config NEW\n\tbool \"n\"\n\tdefault OLD\nconfig OLD\n\tbool\n\ttransitional\n"
      "config OTHER\n\tbool \"o\"\n\tdepends on NEW\n",
      "linux-6.18");
  tree.configuration.Assign(tree.Id("OLD"), Tristate::kYes);
  tree.configuration.Evaluate();
  const ActionsAnswer refused = Judge(*tree.index, tree.configuration, {{"OLD", "n"}});
  EXPECT_EQ(refused.verdicts[0].refusal, Refusal::kNoPrompt);
  const ActionsAnswer accepted = Judge(*tree.index, tree.configuration, {{"OTHER", "y"}});
  EXPECT_TRUE(accepted.is_accepted);
}

TEST_F(ActionsTest, TheAnswerAsJsonHasWhatFollows) {
  const Json answer = ToJson(tree_.tree(), Do({{"NUMA", "y"}}));
  EXPECT_EQ(answer["outcome"], "accepted");
  EXPECT_EQ(answer["effects"].size(), 2U);
}

}  // namespace
}  // namespace hone::kconfig
