// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/macro.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/kconfig/language/texts_for_test.h"

namespace hone::kconfig {
namespace {

using ::testing::HasSubstr;

// The text of the prompt of A, which holds what is to be expanded.
std::string Expand(const std::string& before, const std::string& text,
                   Environment environment = {}) {
  const Parsed parsed = ParseFiles({{"Kconfig", before + "config A\n\tbool \"" + text + "\"\n"}},
                                   "linux-6.1", std::move(environment));
  if (parsed.tree == nullptr) return Messages(parsed);
  const Tree& tree = *parsed.tree;
  return std::string(tree.property(tree.symbol(tree.Find("A")).first_property).text);
}

TEST(MacroTest, RecursiveVariablesExpandWhenUsedSimpleOnesWhenSet) {
  EXPECT_EQ(Expand("X = $(Z)\nY := $(Z)\nZ = late\n", "$(X)-$(Y)"), "late-");
}

TEST(MacroTest, AppendingKeepsTheFlavour) {
  EXPECT_EQ(Expand("Z = 1\nX := a\nX += $(Z)\nZ = 2\n", "$(X)"), "a 1");
  EXPECT_EQ(Expand("Z = 1\nX = a\nX += $(Z)\nZ = 2\n", "$(X)"), "a 2");
  EXPECT_EQ(Expand("X += a\n", "$(X)"), "a");
}

TEST(MacroTest, FunctionsTakeArguments) {
  EXPECT_EQ(Expand("greet = Hello $(1), $(2)!\n", "$(greet,you,me)"), "Hello you, me!");
  EXPECT_EQ(Expand("greet = Hello $(1)$(2)!\n", "$(greet,you)"), "Hello you!");
  EXPECT_EQ(Expand("pick = $($(1))\nA = x\n", "$(pick,A)"), "x");
}

TEST(MacroTest, WhatIsNoVariableComesFromTheEnvironmentAndIsRemembered) {
  EXPECT_EQ(Expand("", "$(HOME)$(GONE)", {{"HOME", "/root"}}), "/root");
  const Parsed parsed = ParseFiles({{"Kconfig", "X := $(B)$(A)\n"}}, "linux-6.1",
                                   {{"A", "1"}, {"B", "2"}, {"C", "3"}});
  ASSERT_EQ(parsed.tree->environment().size(), 2U);
  EXPECT_EQ(parsed.tree->environment()[0], NamedText("B", "2"));
}

TEST(MacroTest, ALoneDollarIsItself) { EXPECT_EQ(Expand("", "5$ $X"), "5$ $X"); }

TEST(MacroTest, AVariableThatContainsItselfIsAnError) {
  EXPECT_THAT(Expand("X = $(Y)\nY = $(X)\n", "$(X)"),
              HasSubstr("Recursive variable 'X' references itself (eventually)"));
}

TEST(MacroTest, EndlessExpansionEnds) {
  EXPECT_THAT(Expand("f = $(f,$(1)x)\n", "$(f,a)"), HasSubstr("Too deep"));
  std::string bomb = "X0 = 0123456789\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "$(X" + std::to_string(i - 1) + ")";
    bomb += "X" + std::to_string(i) + " = " + before + before + "\n";
  }
  EXPECT_THAT(Expand(bomb, "$(X59)"), HasSubstr("macro expansion: more than"));
  std::string nested;
  for (int i = 0; i < 20'000; ++i) nested += "$(";
  EXPECT_THAT(Expand("", nested), HasSubstr("unterminated reference"));
  EXPECT_THAT(Expand("", nested + std::string(20'000, ')')), HasSubstr("Too deep"));
}

TEST(MacroTest, WrongNumbersOfArgumentsAreErrors) {
  EXPECT_THAT(Expand("", "$(shell,a,b)"),
              HasSubstr("too many function arguments passed to 'shell'"));
  EXPECT_THAT(Expand("", "$(error-if,y)"), HasSubstr("too few function arguments"));
  EXPECT_THAT(Expand("", "$(f" + std::string(20, ',') + ")"),
              HasSubstr("too many function arguments"));
}

TEST(MacroTest, ErrorIfEndsTheReading) {
  EXPECT_THAT(Expand("$(error-if,y,stop here)\n", ""), HasSubstr("Kconfig:1: error: stop here"));
  EXPECT_EQ(Expand("$(error-if,n,stop here)\n", "t"), "t");
}

TEST(MacroTest, WarningIfIsToldAtItsPlace) {
  const Parsed parsed = ParseText("\n$(warning-if,y,look)\n$(warning-if,n,not)\n");
  EXPECT_EQ(Messages(parsed), "Kconfig:2: look\n");
}

TEST(MacroTest, FilenameAndLineno) {
  EXPECT_EQ(Expand("\n\nX := $(filename):$(lineno)\n", "$(X)"), "Kconfig:3");
}

}  // namespace
}  // namespace hone::kconfig
