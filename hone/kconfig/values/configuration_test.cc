// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/values/configuration.h"

#include <gtest/gtest.h>

#include <thread>

#include "hone/core/rng.h"
#include "hone/kconfig/conf/modes.h"
#include "hone/kconfig/language/texts_for_test.h"

namespace hone::kconfig {
namespace {

constexpr const char* kModules = "config MODULES\n\tbool \"modules\"\n\tdefault y\n\tmodules\n";

TEST(ConfigurationTest, AUserValueIsLimitedByVisibility) {
  Configuration c =
      Configure(std::string(kModules) +
                "config A\n\ttristate \"a\"\nconfig B\n\ttristate \"b\"\n\tdepends on A\n");
  const SymbolId a = c.tree().Find("A");
  const SymbolId b = c.tree().Find("B");
  c.Set(b, Tristate::kYes);
  EXPECT_EQ(c.value(b), Tristate::kNo);
  c.Set(a, Tristate::kModule);
  EXPECT_EQ(c.value(b), Tristate::kModule);
  EXPECT_EQ(c.Set(a, Tristate::kYes), (std::vector<SymbolId>{a, b}));
  EXPECT_EQ(c.value(b), Tristate::kYes);
}

TEST(ConfigurationTest, SelectForcesWhatDependenciesForbid) {
  Configuration c = Configure(
      "config A\n\tbool \"a\"\n\tselect B\nconfig B\n\tbool \"b\"\n\tdepends on C\nconfig "
      "C\n\tbool \"c\"\n");
  EXPECT_TRUE(c.UnmetDependencies().empty());
  c.Set(c.tree().Find("A"), Tristate::kYes);
  EXPECT_EQ(ValueOf(c, "B"), "y");
  EXPECT_EQ(c.UnmetDependencies(), std::vector<SymbolId>{c.tree().Find("B")});
}

TEST(ConfigurationTest, ImplyGivesADefaultThatTheUserCanRefuse) {
  Configuration c =
      Configure("config A\n\tbool \"a\"\n\tdefault y\n\timply B\nconfig B\n\tbool \"b\"\n");
  EXPECT_EQ(ValueOf(c, "B"), "y");
  c.Set(c.tree().Find("B"), Tristate::kNo);
  EXPECT_EQ(ValueOf(c, "B"), "n");
}

TEST(ConfigurationTest, ATristateIsABoolWithoutModules) {
  Configuration c = Configure(std::string(kModules) + "config A\n\ttristate \"a\"\n\tdefault m\n");
  EXPECT_EQ(ValueOf(c, "A"), "m");
  c.Set(c.tree().Find("MODULES"), Tristate::kNo);
  EXPECT_EQ(ValueOf(c, "A"), "y");
}

TEST(ConfigurationTest, NumbersAreKeptInTheirRange) {
  Configuration c = Configure(
      "config LOW\n\tint \"low\"\n\tdefault 3\nconfig A\n\tint \"a\"\n\trange LOW 10\n\tdefault "
      "5\n");
  const SymbolId a = c.tree().Find("A");
  EXPECT_FALSE(c.CanBe(a, "11"));
  ASSERT_TRUE(c.Set(a, "11"));
  EXPECT_EQ(c.text(a), "10");
  ASSERT_TRUE(c.Set(a, "4"));
  ASSERT_TRUE(c.Set(c.tree().Find("LOW"), "7"));
  EXPECT_EQ(c.text(a), "7");
  EXPECT_FALSE(c.Set(a, "seven"));
}

TEST(ConfigurationTest, ComparisonsAreByNumberOrByText) {
  const Configuration c = Configure(
      "config N\n\tint\n\tdefault 9\nconfig S\n\tstring\n\tdefault \"abc\"\n"
      "config A\n\tdef_bool N < 10\nconfig B\n\tdef_bool N = 0x9\nconfig C\n\tdef_bool S < "
      "\"abd\"\n"
      "config D\n\tdef_bool S = abc\nconfig E\n\tdef_bool UNDEFINED = UNDEFINED\n");
  EXPECT_EQ(ValueOf(c, "A"), "y");
  EXPECT_EQ(ValueOf(c, "B"), "y");
  EXPECT_EQ(ValueOf(c, "C"), "y");
  EXPECT_EQ(ValueOf(c, "D"), "y");
  EXPECT_EQ(ValueOf(c, "E"), "y");
}

constexpr const char* kChoice =
    "choice\n\tprompt \"c\"\n\tdefault B\nconfig A\n\tbool \"a\"\nconfig B\n\tbool "
    "\"b\"\n\tdepends on X\n"
    "config C\n\tbool \"c\"\nendchoice\nconfig X\n\tbool \"x\"\n\tdefault y\n";

TEST(ConfigurationTest, OneMemberOfAChoiceIsSelected) {
  for (const char* dialect : {"linux-6.1", "linux-6.11"}) {
    Configuration c = Configure(kChoice, dialect);
    EXPECT_EQ(ValueOf(c, "B"), "y") << dialect;
    c.Set(c.tree().Find("X"), Tristate::kNo);
    EXPECT_EQ(ValueOf(c, "A"), "y") << dialect;
    c.Set(c.tree().Find("C"), Tristate::kYes);
    EXPECT_EQ(ValueOf(c, "C"), "y") << dialect;
    EXPECT_EQ(ValueOf(c, "A"), "n") << dialect;
    c.Set(c.tree().Find("X"), Tristate::kYes);
    EXPECT_EQ(ValueOf(c, "C"), "y") << dialect;
  }
}

TEST(ConfigurationTest, SinceLinux611NegatedMembersGiveWay) {
  Configuration c = Configure(kChoice, "linux-6.11");
  c.Set(c.tree().Find("B"), Tristate::kNo);
  EXPECT_EQ(ValueOf(c, "A"), "y");
  c.Set(c.tree().Find("A"), Tristate::kNo);
  EXPECT_EQ(ValueOf(c, "C"), "y");
  c.Set(c.tree().Find("C"), Tristate::kNo);
  EXPECT_EQ(ValueOf(c, "B"), "y");
}

TEST(ConfigurationTest, SinceLinux611AMemberIsThereThoughThePromptOfItsChoiceIsHidden) {
  constexpr const char* kText =
      "config X\n\tbool \"x\"\nchoice\n\tprompt \"c\" if X\n\tdefault B\n"
      "config A\n\tbool \"a\"\nconfig B\n\tbool \"b\"\nendchoice\n";
  EXPECT_EQ(ValueOf(Configure(kText, "linux-6.1"), "B"), "n");
  Configuration c = Configure(kText, "linux-6.11");
  EXPECT_EQ(ValueOf(c, "B"), "y");
  c.Set(c.tree().Find("A"), Tristate::kYes);
  EXPECT_EQ(ValueOf(c, "A"), "y");
}

TEST(ConfigurationTest, SinceLinux611ASelectInAMemberIsNoStrongerThanTheIfAroundTheChoice) {
  constexpr const char* kText =
      "config MODULES\n\tdef_bool y\n\tmodules\nconfig M\n\tdef_tristate m\nif M\n"
      "choice\n\tprompt \"c\"\nconfig A\n\tbool \"a\"\n\tselect T\nendchoice\nendif\n"
      "config T\n\ttristate\n";
  EXPECT_EQ(ValueOf(Configure(kText, "linux-6.1"), "T"), "y");
  EXPECT_EQ(ValueOf(Configure(kText, "linux-6.11"), "T"), "m");
}

TEST(ConfigurationTest, SinceLinux67NumbersWithoutDefaultAreZero) {
  constexpr const char* kText = "config A\n\tint \"a\"\nconfig B\n\thex \"b\"\n";
  EXPECT_EQ(ValueOf(Configure(kText, "linux-6.1"), "A"), "");
  EXPECT_EQ(ValueOf(Configure(kText, "linux-6.7"), "A"), "0");
  EXPECT_EQ(ValueOf(Configure(kText, "linux-6.7"), "B"), "0x0");
}

// A tree of random symbols, without loops: each depends on earlier ones.
std::string RandomTree(Rng& rng, int count) {
  std::string text = kModules;
  const auto earlier = [&](int i) {
    return "S" + std::to_string(rng.Below(static_cast<std::uint64_t>(i)));
  };
  for (int i = 0; i < count; ++i) {
    const std::string name = "S" + std::to_string(i);
    const bool is_number = rng.Below(10) == 0;
    const bool is_tristate = rng.Below(2) == 0;
    text += "config " + name + "\n\t" + (is_number ? "int" : is_tristate ? "tristate" : "bool");
    if (rng.Below(4) != 0) {
      text += " \"p\"";
      if (i > 0 && rng.Below(3) == 0) text += " if " + earlier(i);
    }
    text += "\n";
    if (is_number) {
      text += "\tdefault " + std::to_string(rng.Below(9)) + "\n\trange 2 7\n";
      continue;
    }
    if (i == 0) continue;
    if (rng.Below(2) == 0) text += "\tdepends on " + earlier(i) + " || !" + earlier(i) + "\n";
    if (rng.Below(2) == 0) text += "\tdefault " + earlier(i) + " if " + earlier(i) + " != m\n";
    if (rng.Below(4) == 0) text += "\tdefault y if " + earlier(i) + " > 3\n";
  }
  for (int i = 0; i < count / 5; ++i) {
    text += "config T" + std::to_string(i) + "\n\tbool \"t\"\n\tselect U" + std::to_string(i) +
            " if " + earlier(count) + "\nconfig U" + std::to_string(i) +
            "\n\ttristate \"u\"\n\timply V\n";
  }
  return text + "config V\n\ttristate \"v\"\n" + kChoice;
}

TEST(ConfigurationTest, OneChangeGivesTheSameAsEvaluatingAll) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    Configuration c = Configure(RandomTree(rng, 60), seed % 2 == 0 ? "linux-6.1" : "linux-6.11");
    const auto& order = c.tree().order();
    for (int step = 0; step < 200; ++step) {
      const SymbolId id = order[rng.Below(order.size())];
      if (c.tree().symbol(id).is_choice) continue;
      const Configuration before = c;
      std::vector<SymbolId> changed;
      if (rng.Below(5) == 0) {
        changed = c.Unset(id);
      } else if (IsLogical(c.tree().symbol(id).type)) {
        changed = c.Set(id, static_cast<Tristate>(rng.Below(3)));
      } else {
        changed = *c.Set(id, std::to_string(rng.Below(12)));
      }
      Configuration full = c;
      full.Evaluate();
      for (const SymbolId at : order) {
        ASSERT_EQ(c.text(at), full.text(at)) << seed << " " << c.tree().symbol(at).name;
        ASSERT_EQ(c.is_written(at), full.is_written(at)) << seed;
        const bool is_told = std::find(changed.begin(), changed.end(), at) != changed.end();
        const bool has_changed =
            before.text(at) != c.text(at) || before.is_written(at) != c.is_written(at);
        ASSERT_EQ(is_told, has_changed) << seed << " " << c.tree().symbol(at).name;
      }
    }
  }
}

TEST(ConfigurationTest, SnapshotsOfOneTreeChangeOnTheirOwnInSeveralThreads) {
  Rng rng(7);
  const Configuration base = Configure(RandomTree(rng, 200));
  std::vector<std::jthread> threads;
  std::vector<std::string> results(4);
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      Configuration mine = base;
      for (SymbolId id = 3; id < mine.tree().symbols().size(); ++id) {
        if (IsLogical(mine.tree().symbol(id).type)) mine.Set(id, Tristate::kYes);
      }
      results[t] = WriteConfig(mine);
    });
  }
  threads.clear();
  EXPECT_EQ(results[0], results[3]);
  EXPECT_NE(results[0], WriteConfig(base));
}

TEST(ModesTest, TheSameSeedGivesTheSameRandomConfiguration) {
  Rng rng(3);
  const Configuration base = Configure(RandomTree(rng, 100));
  Configuration a = base;
  Configuration b = base;
  Configuration other = base;
  SetAllRandom(a, {.seed = 5});
  SetAllRandom(b, {.seed = 5});
  SetAllRandom(other, {.seed = 6});
  EXPECT_EQ(WriteConfig(a), WriteConfig(b));
  EXPECT_NE(WriteConfig(a), WriteConfig(other));
}

TEST(ModesTest, ProbabilitiesAreRead) {
  EXPECT_EQ(ReadProbability("30", 0)->tristate_module, 15);
  EXPECT_EQ(ReadProbability("10:20", 0)->bool_yes, 30);
  EXPECT_FALSE(ReadProbability("101", 0));
  EXPECT_FALSE(ReadProbability("10:60:60", 0));
  EXPECT_FALSE(ReadProbability("x", 0));
}

constexpr const char* kTransitional = R"(config NEW
	bool "new"
	default OLD
config OLD
	bool
	transitional
config COUNT
	int "count"
	range 1 5
	default OLD_COUNT
config OLD_COUNT
	int
	transitional
)";

TEST(TransitionalTest, ItsValueIsCarriedOverAndItIsNotWritten) {
  Configuration c = Configure(kTransitional, "linux-6.18");
  LoadConfig(c, "CONFIG_OLD=y\nCONFIG_OLD_COUNT=3\n", {});
  EXPECT_EQ(WriteConfig(c),
            "#\n# Automatically generated file; DO NOT EDIT.\n# Main menu\n#\n"
            "CONFIG_NEW=y\nCONFIG_COUNT=3\n");
}

TEST(TransitionalTest, WhatCameFromItCountsAsAnswered) {
  Configuration c = Configure(kTransitional, "linux-6.18");
  EXPECT_FALSE(c.has_user_value(c.tree().Find("NEW")));
  LoadConfig(c, "# CONFIG_OLD is not set\n", {});
  EXPECT_EQ(c.UserValue(c.tree().Find("NEW")), "n");
  EXPECT_FALSE(c.has_user_value(c.tree().Find("COUNT")));
}

TEST(TransitionalTest, ANewValueWinsOverIt) {
  Configuration c = Configure(kTransitional, "linux-6.18");
  LoadConfig(c, "CONFIG_OLD=y\n# CONFIG_NEW is not set\n", {});
  EXPECT_EQ(ValueOf(c, "NEW"), "n");
}

TEST(TransitionalTest, NobodyCanSetIt) {
  Configuration c = Configure(kTransitional, "linux-6.18");
  EXPECT_FALSE(c.IsChangeable(c.tree().Find("OLD")));
  EXPECT_FALSE(c.CanBe(c.tree().Find("OLD"), Tristate::kYes));
  EXPECT_FALSE(c.CanBe(c.tree().Find("OLD_COUNT"), "3"));
}

}  // namespace
}  // namespace hone::kconfig
