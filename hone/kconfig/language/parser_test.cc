// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/kconfig/language/texts_for_test.h"

namespace hone::kconfig {
namespace {

using ::testing::HasSubstr;

TEST(ParserTest, ReadsEveryKindOfEntry) {
  const Parsed parsed = ParseText(R"(mainmenu "Title"
config MODULES
	bool "modules"
	modules
menu "A menu"
	depends on MODULES
	visible if MODULES
config NUMBER
	int "number" if MODULES
	range 1 16 if MODULES
	default 5
	help
	  A help text,
	    indented.

	  With two paragraphs.
endmenu
menuconfig DRIVER
	tristate "driver"
	select HELPER if NUMBER > 3 && !(MODULES = n)
	imply OTHER
config HELPER
	def_bool n
config OTHER
	def_tristate m
choice
	prompt "one of"
	default SECOND
config FIRST
	bool "first"
config SECOND
	bool 'second'
endchoice
if DRIVER
comment "remark"
endif
)");
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  EXPECT_EQ(Messages(parsed), "");
  const Tree& tree = *parsed.tree;
  EXPECT_EQ(tree.title(), "Title");
  EXPECT_EQ(tree.symbol(tree.modules()).name, "MODULES");
  EXPECT_EQ(tree.choices().size(), 1U);
  EXPECT_EQ(tree.choices()[0].members.size(), 2U);
  const SymbolId number = tree.Find("NUMBER");
  EXPECT_EQ(tree.Help(tree.symbol(number).first_menu),
            "A help text,\n  indented.\n\nWith two paragraphs.");
  EXPECT_EQ(tree.Show(tree.symbol(tree.Find("HELPER")).selected_by),
            "DRIVER && NUMBER>3 && MODULES");
}

TEST(ParserTest, EntriesThatDependOnTheOneBeforeLieBelowIt) {
  const Parsed parsed = ParseText(R"(config A
	bool "a"
config B
	bool "b"
	depends on A
config C
	bool "c"
)");
  const Tree& tree = *parsed.tree;
  const MenuId a = tree.symbol(tree.Find("A")).first_menu;
  const MenuId b = tree.symbol(tree.Find("B")).first_menu;
  EXPECT_EQ(tree.menu(a).first_child, b);
  EXPECT_EQ(tree.menu(b).parent, a);
  EXPECT_EQ(tree.menu(a).next, tree.symbol(tree.Find("C")).first_menu);
}

TEST(ParserTest, PropertiesOfASymbolLieTogetherInTheirOrderWhereverItIsDefined) {
  const Parsed parsed = ParseText(R"(mainmenu "Title"
config A
	bool "a"
	default y if B
menu "between"
config B
	bool "b"
endmenu
config A
	default n
	select C
config C
	bool
	default y
config A
	imply C
)");
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  const Tree& tree = *parsed.tree;
  const auto kinds_of = [&](std::string_view name) {
    std::vector<PropertyKind> kinds;
    for (const Property& property : tree.PropertiesOf(tree.Find(name))) {
      EXPECT_EQ(property.symbol, tree.Find(name));
      kinds.push_back(property.kind);
    }
    return kinds;
  };
  using Kinds = std::vector<PropertyKind>;
  EXPECT_EQ(kinds_of("A"),
            (Kinds{PropertyKind::kPrompt, PropertyKind::kDefault, PropertyKind::kDefault,
                   PropertyKind::kSelect, PropertyKind::kImply}));
  EXPECT_EQ(kinds_of("B"), Kinds{PropertyKind::kPrompt});
  EXPECT_EQ(kinds_of("C"), Kinds{PropertyKind::kDefault});
  EXPECT_EQ(tree.title(), "Title");
  const MenuId between = tree.menu(tree.symbol(tree.Find("B")).first_menu).parent;
  EXPECT_EQ(tree.property(tree.menu(between).prompt).text, "between");
}

TEST(ParserTest, MessagesNameThePlaceAndWhoIncludedIt) {
  const Parsed parsed = ParseFiles({{"Kconfig", "\nsource \"a\"\n"},
                                    {"a", "source \"b\"\n"},
                                    {"b", "config X\n\tnonsense\n\tbool \"x\"\n"}});
  EXPECT_EQ(parsed.tree, nullptr);
  EXPECT_THAT(
      Messages(parsed),
      HasSubstr("b:2: error: unknown statement \"nonsense\" (included from a:1, Kconfig:2)"));
}

TEST(ParserTest, OneRunTellsAllFaults) {
  const Parsed parsed = ParseText("config\nmenu\nendif\nconfig A\n\tbool \"a\" if (B\n");
  EXPECT_EQ(parsed.tree, nullptr);
  EXPECT_EQ(parsed.diagnostics.size(), 4U) << Messages(parsed);
}

TEST(ParserTest, BlocksThatAreNotClosedAreErrors) {
  EXPECT_THAT(Messages(ParseText("menu \"m\"\n")),
              HasSubstr("Kconfig:1: error: 'menu': missing end"));
  EXPECT_THAT(Messages(ParseText("if A\nendmenu\n")),
              HasSubstr("unexpected 'endmenu' within if block"));
  EXPECT_THAT(Messages(ParseFiles({{"Kconfig", "if A\nsource \"b\"\n"}, {"b", "endif\n"}})),
              HasSubstr("in different file"));
}

TEST(ParserTest, SinceLinux611AChoiceMustBeRight) {
  const auto told = [](const std::string& members, const char* dialect) {
    return Messages(ParseText("choice\n\tprompt \"c\"\n" + members + "endchoice\n", dialect));
  };
  for (const char* members : {"config A\n\tbool\n", "config A\n\tbool \"a\"\n\tdefault y\n",
                              "config A\n\tbool \"a\"\nendchoice\nchoice\n\tprompt \"d\"\n"
                              "config A\n\tbool \"a\"\n"}) {
    EXPECT_THAT(told(members, "linux-6.1"), HasSubstr("warning: "));
    EXPECT_THAT(told(members, "linux-6.11"), HasSubstr("error: "));
  }
  EXPECT_THAT(told("config A\n\ttristate \"a\"\n", "linux-6.11"), HasSubstr("must be bool"));
  EXPECT_EQ(told("config A\n\tbool \"a\"\n", "linux-6.11"), "");
}

TEST(ParserTest, AMissingFileIsAnErrorWithItsPlace) {
  EXPECT_THAT(Messages(ParseText("config A\n\tbool\nsource \"gone\"\n")),
              HasSubstr("Kconfig:3: error: can't open file \"gone\""));
  EXPECT_THAT(Messages(ParseFiles({})), HasSubstr("can't find file Kconfig"));
}

TEST(ParserTest, AFileThatIncludesItselfIsAnError) {
  const Parsed parsed = ParseFiles({{"Kconfig", "source \"a\"\n"}, {"a", "source \"Kconfig\"\n"}});
  EXPECT_THAT(Messages(parsed), HasSubstr("a:1: error: recursive inclusion of Kconfig"));
}

TEST(ParserTest, DependencyLoopsAreToldWithTheirPath) {
  const std::string messages = Messages(ParseText(
      "config A\n\tbool \"a\"\n\tdepends on B\nconfig B\n\tbool \"b\"\n\tselect C\nconfig C\n"
      "\tbool \"c\"\n\tselect A\n\tdepends on A\n"));
  EXPECT_THAT(messages, HasSubstr("recursive dependency detected!"));
  EXPECT_THAT(messages, HasSubstr("depends on"));
}

TEST(ParserTest, TruncatedAtAnyByteItNeverCrashes) {
  const std::string whole = R"kconfig(config A
	bool "text with \" and $(shell,echo hi)" if (B && !C) || D = "x"
	help
	  Help.
choice
	prompt "p"
config E
	bool "e"
endchoice
X := $(A)
if A
endif
)kconfig";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const Parsed parsed = ParseText(whole.substr(0, size));
    EXPECT_TRUE(parsed.tree != nullptr || !parsed.diagnostics.empty()) << size;
  }
}

TEST(ParserTest, BinaryBytesAreToldAndBounded) {
  std::string bytes;
  for (std::uint32_t i = 0; i < 300'000; ++i) bytes += static_cast<char>((i * 7919U) >> 3U);
  const Parsed parsed = ParseText(bytes);
  EXPECT_LE(parsed.diagnostics.size(), 10'000U);
}

TEST(ParserTest, TextThatIsNotUtf8IsKeptAsItIs) {
  const Parsed parsed = ParseText("config A\n\tbool \"caf\xe9 \xff\"\n");
  ASSERT_NE(parsed.tree, nullptr);
  EXPECT_EQ(parsed.tree->property(parsed.tree->symbol(parsed.tree->Find("A")).first_property).text,
            "caf\xe9 \xff");
}

TEST(ParserTest, ManyNestedBlocksAreAnErrorNotACrash) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "if A\n";
  EXPECT_THAT(Messages(ParseText(text)), HasSubstr("nested more than"));
}

TEST(ParserTest, ManyNestedParenthesesAreAnErrorNotACrash) {
  const std::string deep(100'000, '(');
  EXPECT_THAT(Messages(ParseText("config A\n\tbool\n\tdepends on " + deep + "B\n")),
              HasSubstr("nested more than"));
  EXPECT_THAT(
      Messages(ParseText("config A\n\tbool\n\tdepends on " + std::string(100'000, '!') + "B\n")),
      HasSubstr("negated more than"));
}

TEST(ParserTest, ALongChainOfOperandsIsFine) {
  std::string text = "config A\n\tbool \"a\"\n\tdepends on B";
  for (int i = 0; i < 100'000; ++i) text += " && B" + std::to_string(i % 7);
  const Parsed parsed = ParseText(text + "\nconfig B\n\tbool \"b\"\n");
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  EXPECT_EQ(ValueOf(Configuration(parsed.tree), "A"), "n");
}

TEST(ParserTest, ALongChainOfSymbolsIsFine) {
  std::string text = "config A0\n\tbool \"a\"\n\tdefault y\n";
  for (int i = 1; i < 100'000; ++i) {
    text += "config A" + std::to_string(i) + "\n\tdef_bool A" + std::to_string(i - 1) + "\n";
  }
  const Configuration configuration = Configure(text);
  EXPECT_EQ(ValueOf(configuration, "A99999"), "y");
}

TEST(ParserTest, SubmenusThatNestWithoutEndAreAnErrorNotACrash) {
  std::string text = "config A0\n\tbool \"a\"\n";
  for (int i = 1; i < 20'000; ++i) {
    text += "config A" + std::to_string(i) + "\n\tbool \"a\"\n\tdepends on A" +
            std::to_string(i - 1) + "\n";
  }
  EXPECT_THAT(Messages(ParseText(text)), HasSubstr("levels deep"));
}

TEST(ParserTest, AVeryLongLineIsFine) {
  const std::string text = "config A\n\tbool \"" + std::string(8 << 20, 'x') + "\"\n";
  EXPECT_NE(ParseText(text).tree, nullptr);
}

}  // namespace
}  // namespace hone::kconfig
