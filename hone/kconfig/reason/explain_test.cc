// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/explain.h"

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
using ::testing::UnorderedElementsAre;

constexpr const char* kExplainTree = R"(config MODULES
	bool "modules"
	default y
	modules

config NET
	bool "net"

menu "Devices"
	depends on NET

config CARD
	tristate "card"
	depends on BUS || USB
	select CRC if FAST
	help
	  A card.

endmenu

config BUS
	bool "bus"

config USB
	bool "usb"

config FAST
	bool "fast"
	default y

config CRC
	tristate "crc"

config LEVEL
	int "level"
	range 1 8
	default 3

config HIDDEN
	bool
	default y if NET

config HINT
	bool "hint"
	imply WISH

config WISH
	bool "wish"

choice
	prompt "one of"
config ONE
	bool "one"
config TWO
	bool "two"
endchoice
)";

class ExplainTest : public ::testing::Test {
 protected:
  ValueReason Why(std::string_view name) const {
    return WhyValue(*tree_.index, tree_.configuration, tree_.Id(name));
  }
  Possibility Can(std::string_view name, const std::string& value) const {
    return WhyNot(*tree_.index, tree_.configuration, tree_.Id(name), value);
  }
  std::string Place(Location where) const { return tree_.tree().Show(where); }

  TextTree tree_{kExplainTree};
};

TEST_F(ExplainTest, SaysThatTheUserSetIt) {
  tree_.Set("NET", "y");
  EXPECT_EQ(Why("NET").cause, Cause::kUser);
  EXPECT_EQ(Why("NET").sentence, "NET is y: the user set it.");
}

TEST_F(ExplainTest, NamesTheDefaultThatHoldsAndItsPlace) {
  const ValueReason level = Why("LEVEL");
  EXPECT_EQ(level.cause, Cause::kDefault);
  ASSERT_EQ(level.lines.size(), 1U);
  EXPECT_EQ(level.lines[0].text, "default 3");
  EXPECT_EQ(Place(level.lines[0].where), "Kconfig:37");
  EXPECT_EQ(Why("HIDDEN").cause, Cause::kNothing);
  tree_.Set("NET", "y");
  EXPECT_THAT(Why("HIDDEN").sentence, HasSubstr("default y if NET"));
}

TEST_F(ExplainTest, NamesWhoSelects) {
  for (const char* name : {"NET", "BUS", "CARD"}) tree_.Set(name, "y");
  const ValueReason reason = Why("CRC");
  EXPECT_EQ(reason.cause, Cause::kSelect);
  EXPECT_EQ(reason.sentence, "CRC is y: selected by CARD.");
  ASSERT_EQ(reason.lines.size(), 1U);
  EXPECT_EQ(Place(reason.lines[0].where), "Kconfig:15");
  tree_.Set("CRC", "y");
  EXPECT_EQ(Why("CRC").cause, Cause::kUser);
}

TEST_F(ExplainTest, NamesWhoImplies) {
  tree_.Set("HINT", "y");
  EXPECT_EQ(Why("WISH").cause, Cause::kImply);
  ASSERT_EQ(Why("WISH").lines.size(), 1U);
  EXPECT_EQ(Why("WISH").lines[0].text, "imply WISH");
}

TEST_F(ExplainTest, SaysThatARangeReplacedTheValue) {
  tree_.Set("LEVEL", "20");
  EXPECT_EQ(Why("LEVEL").value, "8");
  EXPECT_EQ(Why("LEVEL").cause, Cause::kRange);
  EXPECT_EQ(Why("LEVEL").sentence, "LEVEL is 8: 20 is out of range 1 8.");
}

TEST_F(ExplainTest, SaysWhatAChoiceHas) {
  EXPECT_EQ(Why("ONE").sentence, "ONE is y: the default of the choice <one of>.");
  tree_.Set("TWO", "y");
  EXPECT_EQ(Why("ONE").sentence, "ONE is n: the choice <one of> has TWO.");
  EXPECT_EQ(Why("TWO").sentence, "TWO is y: the user's selection of the choice <one of>.");
}

TEST_F(ExplainTest, SaysThatAUserValueHasNoEffect) {
  tree_.Set("CARD", "y");
  EXPECT_THAT(Why("CARD").sentence, HasSubstr("the user set y, which has no effect"));
}

TEST_F(ExplainTest, FindsEachClauseInTheWayAndItsPlace) {
  const Possibility card = Can("CARD", "y");
  EXPECT_FALSE(card.is_possible);
  ASSERT_EQ(card.blockers.size(), 2U);
  EXPECT_EQ(card.blockers[0].clause, "NET");
  EXPECT_EQ(card.blockers[0].source, "menu \"Devices\" depends on");
  EXPECT_EQ(Place(card.blockers[0].where), "Kconfig:9");
  EXPECT_EQ(card.blockers[1].clause, "BUS || USB");
  EXPECT_TRUE(card.blockers[1].is_any);
  std::vector<std::string> names;
  for (const Need& need : card.blockers[1].needs)
    names.push_back(DisplayName(tree_.tree(), need.symbol));
  EXPECT_THAT(names, UnorderedElementsAre("BUS", "USB"));
  tree_.Set("NET", "y");
  tree_.Set("USB", "y");
  EXPECT_TRUE(Can("CARD", "y").is_possible);
}

TEST_F(ExplainTest, FindsTheSelectorInTheWay) {
  for (const char* name : {"NET", "BUS", "CARD"}) tree_.Set(name, "y");
  const Possibility crc = Can("CRC", "n");
  EXPECT_FALSE(crc.is_possible);
  ASSERT_EQ(crc.blockers.size(), 1U);
  EXPECT_EQ(crc.blockers[0].source, "selected by CARD");
  ASSERT_FALSE(crc.blockers[0].needs.empty());
  EXPECT_EQ(crc.blockers[0].needs[0].symbol, tree_.Id("CARD"));
}

TEST_F(ExplainTest, SaysWhatElseStandsInTheWay) {
  EXPECT_THAT(Can("LEVEL", "9").sentence, HasSubstr("out of its range, 1 to 8"));
  EXPECT_THAT(Can("LEVEL", "high").sentence, HasSubstr("no value of a int"));
  EXPECT_THAT(Can("NET", "m").sentence, HasSubstr("no value of a bool"));
  EXPECT_THAT(Can("HIDDEN", "y").sentence, HasSubstr("has no prompt"));
  EXPECT_THAT(Can("ONE", "n").sentence, HasSubstr("choice <one of>"));
  tree_.Set("MODULES", "n");
  const Possibility module = Can("CRC", "m");
  ASSERT_EQ(module.blockers.size(), 1U);
  EXPECT_EQ(module.blockers[0].clause, "MODULES");
}

TEST_F(ExplainTest, ListsSelectorsWithWhatTheyGiveNow) {
  EXPECT_EQ(WhoSelects(*tree_.index, tree_.configuration, tree_.Id("CRC"))[0].level, Tristate::kNo);
  for (const char* name : {"NET", "BUS"}) tree_.Set(name, "y");
  tree_.Set("CARD", "m");
  const std::vector<RuleLine> lines =
      WhoSelects(*tree_.index, tree_.configuration, tree_.Id("CRC"));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].level, Tristate::kModule);
  EXPECT_THAT(WhoSelects(*tree_.index, tree_.configuration, tree_.Id("NET")), IsEmpty());
}

TEST_F(ExplainTest, ListsWhatDependsOnASymbolAndHow) {
  const std::vector<Dependent> dependents = WhatDependsOn(*tree_.index, tree_.Id("FAST"));
  ASSERT_EQ(dependents.size(), 1U);
  EXPECT_EQ(dependents[0].symbol, tree_.Id("CRC"));
  EXPECT_THAT(dependents[0].ways, ElementsAre("select"));
}

TEST_F(ExplainTest, AnswersAreDataAndText) {
  const Json json = ToJson(tree_.tree(), Can("CARD", "y"));
  EXPECT_EQ(json["is_possible"], false);
  EXPECT_EQ(json["blockers"][0]["where"], "Kconfig:9");
  EXPECT_EQ(json["blockers"][1]["one_is_enough"], true);
  EXPECT_EQ(ToJson(tree_.tree(), Why("LEVEL"))["lines"][0]["line"], "default 3");
  EXPECT_THAT(ToText(tree_.tree(), Can("CARD", "y")),
              HasSubstr("one of: BUS is n, needs y; USB is n, needs y"));
}

}  // namespace
}  // namespace hone::kconfig
