// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/dialect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/kconfig/files/load.h"
#include "hone/kconfig/language/texts_for_test.h"
#include "hone/kconfig/shell/shell_memo.h"

namespace hone::kconfig {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DialectTest, EveryNameIsKnownAndOthersAreNot) {
  for (const std::string& name : DialectNames()) EXPECT_EQ(DialectNamed(name)->name, name);
  EXPECT_THAT(DialectNamed("linux-1.0").error().message, HasSubstr("the known ones are"));
}

TEST(DialectTest, TreesAreRecognised) {
  auto folder = TempDir::Make("dialect");
  ASSERT_TRUE(folder);
  const auto with = [&](const char* makefile) {
    EXPECT_TRUE(WriteFileDurably(folder->path() / "Makefile", makefile));
    return DetectDialect(folder->path()).name;
  };
  EXPECT_EQ(with("VERSION = 6\nPATCHLEVEL = 1\n"), "linux-6.1");
  EXPECT_EQ(with("VERSION = 6\nPATCHLEVEL = 12\n"), "linux-6.11");
  EXPECT_EQ(with("VERSION = 4\nPATCHLEVEL = 4\n"), "linux-2.6");
  EXPECT_EQ(with("VERSION = 2024\nPATCHLEVEL = 01\nUBOOTVERSION = x\n"), "u-boot");
  EXPECT_EQ(with("export BR2_VERSION := 2024.02\n"), "buildroot");
  namespace fs = std::filesystem;
  for (const char* name : {"toys", "kconfig"}) fs::create_directory(folder->path() / name);
  EXPECT_EQ(with(""), "toybox");
  fs::remove(folder->path() / "toys");
  fs::create_directories(folder->path() / "scripts/config");
  fs::create_directories(folder->path() / "scripts/feeds");
  EXPECT_EQ(with(""), "openwrt");
}

// A folder Config.in alone says nothing: the tool that the tree carries does.
TEST(DialectTest, ATreeWithAConfigInIsReadByItsOwnTool) {
  auto folder = TempDir::Make("dialect");
  const auto write = [&](const char* name, const char* text) {
    std::filesystem::create_directories((folder->path() / name).parent_path());
    ASSERT_TRUE(WriteFileDurably(folder->path() / name, text));
  };
  write("Config.in", "");
  EXPECT_EQ(DetectDialect(folder->path()).name, "linux-2.6");
  write("kconfig/lexer.l", "\"reset\"");
  write("kconfig/parser.y", "T_MODULES");
  write("kconfig/symbol.c", "newval.tri != no");
  write("kconfig/preprocess.c", "");
  const Dialect found = DetectDialect(folder->path());
  EXPECT_EQ(found.name, "own");
  EXPECT_TRUE(found.has_macros && found.has_modules_word && found.has_reset);
  EXPECT_FALSE(found.writes_default_no);
  write("kconfig/confdata.c", "# end of %s");
  EXPECT_FALSE(DetectDialect(folder->path()).ends_empty_menus);
  write("kconfig/confdata.c", "end_check: # end of %s");
  EXPECT_TRUE(DetectDialect(folder->path()).ends_empty_menus);
}

TEST(DialectTest, OldTreesUseOptionsAndBareVariables) {
  const Parsed parsed = ParseFiles(
      {{"Config.in", ""},
       {"Kconfig",
        "config ARCH\n\tstring\n\toption env=\"ARCH\"\nconfig MODULES\n\tboolean \"m\"\n\toption "
        "modules\n"
        "\t---help---\n\t  Text.\nsource \"arch/$ARCH/Kconfig\"\nsource plain/Kconfig\n"},
       {"arch/arm/Kconfig", "config ARM\n\tdef_bool y\n"},
       {"plain/Kconfig", "config PLAIN\n\tbool \"p\"\n\tdepends EXPERIMENTAL\n"}},
      "linux-2.6", {{"ARCH", "arm"}});
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  const Configuration c(parsed.tree);
  EXPECT_EQ(ValueOf(c, "ARCH"), "arm");
  EXPECT_EQ(ValueOf(c, "ARM"), "y");
  EXPECT_EQ(WriteConfig(c).find("CONFIG_ARCH="), std::string::npos);
  EXPECT_EQ(parsed.tree->symbol(parsed.tree->modules()).name, "MODULES");
}

TEST(DialectTest, WithoutMacrosADollarIsLiteralButInTheTitleAndInFileNames) {
  const Parsed parsed = ParseFiles(
      {{"Kconfig",
        "mainmenu \"Version $VERSION\"\nconfig VERSION\n\tstring\n\toption env=\"FULL\"\n"
        "source \"$VERSION/Config.in\"\n"},
       {"1.2/Config.in",
        "config DL_DIR\n\tstring \"to $(HOME) or $VERSION\"\n\tdefault "
        "\"$(TOPDIR)/$VERSION/dl\"\n"}},
      "buildroot", {{"FULL", "1.2"}, {"TOPDIR", "wrong"}, {"HOME", "wrong"}});
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  EXPECT_EQ(parsed.tree->title(), "Version 1.2");
  const Configuration c(parsed.tree);
  EXPECT_EQ(ValueOf(c, "DL_DIR"), "$(TOPDIR)/$VERSION/dl");
  EXPECT_EQ(
      parsed.tree->property(parsed.tree->symbol(parsed.tree->Find("DL_DIR")).first_property).text,
      "to $(HOME) or $VERSION");
}

TEST(DialectTest, KconfiglibTreesHaveRelativeSourcesGlobsAndTypedDefaults) {
  const Parsed parsed = ParseFiles({{"Kconfig",
                                     "rsource \"sub/Kconfig\"\nosource \"gone\"\n"
                                     "source \"many/*\"\n"},
                                    {"sub/Kconfig", "rsource \"inner\"\norsource \"gone\"\n"},
                                    {"sub/inner", "config N\n\tdef_int 5\n"},
                                    {"many/a", "config MA\n\tdef_hex 0x1\n"},
                                    {"many/b", "config MB\n\tdef_string \"t\"\n"}},
                                   "kconfiglib");
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  const Configuration c(parsed.tree);
  EXPECT_EQ(ValueOf(c, "N"), "5");
  EXPECT_EQ(ValueOf(c, "MA"), "0x1");
  EXPECT_EQ(ValueOf(c, "MB"), "t");
}

// As in the files of ESP-IDF.
TEST(DialectTest, KconfiglibTreesJoinLinesInsideQuotesAndMayNameAbsoluteFilesRelatively) {
  const std::string text =
      "rsource \"/abs/Kconfig\"\nconfig A\n\tint \"a count \\\nof things\"\n\tdefault 4\n";
  const Parsed parsed =
      ParseFiles({{"Kconfig", text}, {"/abs/Kconfig", "config B\n\tdef_int 6\n"}}, "kconfiglib");
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  EXPECT_EQ(Messages(parsed), "");
  const SymbolId a = parsed.tree->Find("A");
  EXPECT_EQ(parsed.tree->PropertiesOf(a)[0].text, "a count of things");
  EXPECT_EQ(parsed.tree->PropertiesOf(a)[1].where.line, 5U);
  EXPECT_EQ(ValueOf(Configuration(parsed.tree), "B"), "6");
  EXPECT_EQ(ParseText("config A\n\tint \"a \\\nb\"\n", "linux-6.1").tree, nullptr);
}

TEST(DialectTest, WithKconfiglibAMenuMayHaveAHelpText) {
  const std::string text = "menu \"m\"\n\thelp\n\t  Why.\nconfig A\n\tdef_bool y\nendmenu\n";
  const Parsed parsed = ParseText(text, "kconfiglib");
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  EXPECT_EQ(parsed.tree->Help(parsed.tree->menu(0).first_child), "Why.");
  EXPECT_EQ(ParseText(text, "linux-6.1").tree, nullptr);
}

// As the files of ESP-IDF are for chips that lack what a menu is about.
TEST(DialectTest, KconfiglibDoesNotEndAMenuWithNothingInIt) {
  const std::string text =
      "menu \"none\"\nendmenu\nmenu \"one\"\nconfig A\n\tdef_bool y\nendmenu\n";
  const auto written = [&](const char* dialect) {
    const std::string all = WriteConfig(Configuration(ParseText(text, dialect).tree));
    return all.substr(all.find("\n#\n# none"));
  };
  EXPECT_EQ(written("kconfiglib"), "\n#\n# none\n#\n\n#\n# one\n#\nCONFIG_A=y\n# end of one\n");
  EXPECT_EQ(written("linux-6.1"),
            "\n#\n# none\n#\n# end of none\n\n#\n# one\n#\nCONFIG_A=y\n# end of one\n");
}

// A replica of what Zephyr's own files do.
TEST(DialectTest, ZephyrHasConfigDefaultsQuotedChoiceNamesAndDevicetreeFunctions) {
  const Parsed parsed = ParseText(
      "module = NET\nconfigdefault LOG\n\tdefault y\n"
      "choice \"$(module)_LEVEL\"\n\tprompt \"level\"\n\tdefault LOW\n"
      "config LOW\n\tbool \"low\"\nconfig HIGH\n\tbool \"high\"\nendchoice\n"
      "if LOW\nconfigdefault SIZE\n\tdefault 7\nendif\n"
      "config LOG\n\tbool \"log\"\nconfig SIZE\n\tint \"size\"\n\tdefault 3\n"
      "configdefault NOBODY\n\tdefault y\n"
      "config UART\n\tdef_bool $(dt_nodelabel_enabled,uart0)\n"
      "config BASE\n\tdef_hex $(dt_chosen_reg_addr_hex,zephyr)\n",
      "kconfiglib");
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  EXPECT_EQ(Messages(parsed), "");
  Configuration c(parsed.tree);
  EXPECT_EQ(WriteConfig(c),
            "#\n# Automatically generated file; DO NOT EDIT.\n# Main menu\n#\nCONFIG_LOG=y\n"
            "CONFIG_LOW=y\n# CONFIG_HIGH is not set\nCONFIG_SIZE=7\nCONFIG_BASE=0x0\n");
  c.Set(c.tree().Find("HIGH"), Tristate::kYes);
  EXPECT_EQ(ValueOf(c, "SIZE"), "3");
}

// What Zephyr's own kconfigfunctions.py answers.
TEST(DialectTest, ZephyrCalculatesInMacros) {
  const std::vector<std::pair<std::string, std::string>> answers = {
      {"$(add, 10, 3, 2)", "15"},
      {"$(sub, 10, 3)", "7"},
      {"$(mul,0x10,3)", "48"},
      {"$(div, 10, 3, 2)", "1"},
      {"$(div,-7,2)", "-3"},
      {"$(mod,-7,3)", "2"},
      {"$(max,3,9,4)", "9"},
      {"$(min_hex,300,0x100)", "0x100"},
      {"$(sub_hex,1,2)", "-0x1"},
      {"$(add, $(inc, 1, 1))", "4"},
      {"$(dec,1,1)", "0,0"},
      {"$(inc_hex,15)", "0x10"},
      {"$(add)", ""},
      {"$(normalize_upper,a-b/c1)", "A_B_C1"},
      {"$(substring,zephyr,1,-1)", "ephy"},
      {"$(substring,zephyr,-2)", "yr"},
      {"$(shields_list_contains,b)", "y"},
      {"$(shields_list_contains,c)", "n"}};
  for (const auto& [macro, answer] : answers) {
    const std::string text = "config A\n\tstring\n\tdefault \"" + macro + "\"\n";
    const Parsed parsed =
        ParseFiles({{"Kconfig", text}}, "kconfiglib", {{"SHIELD_AS_LIST", "a;b"}});
    ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
    EXPECT_EQ(ValueOf(Configuration(parsed.tree), "A"), answer) << macro;
  }
  for (const char* macro : {"$(div,1,0)", "$(mod,1,0)", "$(add,one,2)", "$(add,010,1)",
                            "$(mul,0x7fffffffffffffff,2)", "$(substring,a,b)"}) {
    EXPECT_EQ(
        ParseText("config A\n\tdef_string \"" + std::string(macro) + "\"\n", "kconfiglib").tree,
        nullptr)
        << macro;
  }
}

// As Zephyr's files for its chips do: what a family selects stands where the family is.
TEST(DialectTest, KconfiglibKeepsADefinitionThatDependsOnNothing) {
  const std::string text =
      "config FAMILY\n\tbool\n"
      "config SERIES\n\tbool\n\tselect FAMILY\n"
      "if FAMILY\nconfig SERIES\n\tselect CORE\nendif\n"
      "config CORE\n\tbool\nconfig CHIP\n\tbool \"chip\"\n\tselect SERIES\n";
  const Parsed parsed = ParseText(text, "kconfiglib");
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  Configuration c(parsed.tree);
  c.Set(c.tree().Find("CHIP"), Tristate::kYes);
  EXPECT_EQ(ValueOf(c, "CORE"), "y");
  EXPECT_THAT(Messages(ParseText(text, "linux-6.1")), HasSubstr("recursive dependency"));
}

TEST(DialectTest, AConfigDefaultHoldsOnlyWhereItsSymbolMayBe) {
  const Parsed parsed = ParseText(
      "configdefault SIZE\n\tdefault 7\nconfig BUS\n\tbool \"bus\"\n"
      "if BUS\nconfig SIZE\n\tint \"size\"\n\tdefault 3\nendif\n",
      "kconfiglib");
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  Configuration c(parsed.tree);
  EXPECT_THAT(WriteConfig(c), Not(HasSubstr("SIZE")));
  c.Set(c.tree().Find("BUS"), Tristate::kYes);
  EXPECT_EQ(ValueOf(c, "SIZE"), "7");
}

TEST(DialectTest, KconfiglibForgetsWhatIsNeverSelected) {
  const std::string text =
      "config A\n\tbool \"a\"\n\tselect B if n\nconfig B\n\tbool \"b\"\n\tselect A\n"
      "if n\nconfig C\n\tbool \"c\"\nendif\nconfig D\n\tdef_bool y\n\tdepends on C || B\n";
  const Parsed parsed = ParseText(text, "kconfiglib");
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  Configuration c(parsed.tree);
  c.Set(c.tree().Find("C"), Tristate::kYes);
  EXPECT_EQ(ValueOf(c, "C"), "n");
  EXPECT_EQ(ValueOf(c, "D"), "n");
  EXPECT_THAT(Messages(ParseText(text, "linux-6.1")), HasSubstr("recursive dependency"));
}

// As in Zephyr's files for single boards.
TEST(DialectTest, KconfiglibJoinsLinesWhereverTheyAreBroken) {
  const std::string text =
      "WIDE := \\\n\tone,\\\ntwo\n"
      "config A\n\tstring\n\tdefault \"$(add, 1, \\\n 2)-$(WIDE)-\\\nend\"\n"
      "config B\n\tint\n\tdefault $(add,\\\n3,\\\n4) if A != \\\n\"\"\nnonsense\n";
  const Parsed parsed = ParseText(text, "kconfiglib");
  EXPECT_THAT(Messages(parsed), HasSubstr(":15:"));  // Lines are counted all the same.
  const Parsed good = ParseText(text.substr(0, text.find("nonsense")), "kconfiglib");
  ASSERT_NE(good.tree, nullptr) << Messages(good);
  EXPECT_EQ(ValueOf(Configuration(good.tree), "A"), "3-one,two-end");
  EXPECT_EQ(ValueOf(Configuration(good.tree), "B"), "7");
}

// A replica of what OpenWrt's own files do.
TEST(DialectTest, OpenwrtHasResetAndPatternsThatMayMatchNothing) {
  const Parsed parsed = ParseText(
      "config MODULES\n\tmodules\n\tbool\n\tdefault y\nsource \"feeds/*/Config.in\"\n"
      "choice\n\tprompt \"target\"\n\treset if !DEVEL\n\tdefault ARM\n"
      "config ARM\n\tbool \"arm\"\nendchoice\n",
      "openwrt");
  ASSERT_NE(parsed.tree, nullptr) << Messages(parsed);
  EXPECT_EQ(ValueOf(Configuration(parsed.tree), "ARM"), "y");
  EXPECT_EQ(ParseText("source \"tmp/.config-target.in\"\n", "openwrt").tree, nullptr);
}

// A replica of what Toybox's own tool writes.
TEST(DialectTest, ToyboxWritesEverySymbolUnderAHeadingOfItsOwn) {
  const Configuration c =
      Configure("config A\n\tbool \"a\"\nconfig B\n\tbool \"b\"\n\tdepends on A\n", "toybox");
  EXPECT_EQ(WriteConfig(c),
            "#\n# Automatically generated make config: don't edit\n"
            "# ToyBox version: KCONFIG_VERSION\n#\n"
            "# CONFIG_A is not set\n# CONFIG_B is not set\n");
}

TEST(DialectTest, BuildrootsFilesOfExternalTreesMayBeMissing) {
  EXPECT_NE(ParseText("source \"out/.br2-external.in.paths\"\n", "buildroot").tree, nullptr);
  EXPECT_EQ(ParseText("source \"out/other\"\n", "buildroot").tree, nullptr);
}

TEST(DialectTest, VariablesThatAreAskedForInVainAreKnown) {
  const Parsed parsed = ParseText("mainmenu \"U-Boot $(UBOOTVERSION)\"\n", "u-boot");
  ASSERT_EQ(parsed.tree->unset_variables().size(), 1U);
  EXPECT_EQ(parsed.tree->unset_variables()[0], "UBOOTVERSION");
}

TEST(DialectTest, NewestTreesHaveConditionalDependsAndTransitional) {
  constexpr const char* kText =
      "config C\n\tbool \"c\"\nconfig A\n\tbool \"a\"\n\tdepends on B if C\nconfig B\n\tbool "
      "\"b\"\n"
      "config OLD\n\tbool\n\ttransitional\nconfig NEW\n\tbool \"n\"\n\tdefault OLD\n";
  Configuration c = Configure(kText, "linux-7.0");
  EXPECT_EQ(c.visibility(c.tree().Find("A")), Tristate::kYes);
  c.Set(c.tree().Find("C"), Tristate::kYes);
  EXPECT_EQ(c.visibility(c.tree().Find("A")), Tristate::kNo);
  EXPECT_EQ(ParseText(kText, "linux-6.1").tree, nullptr);
}

TEST(DialectTest, ATransitionalSymbolHasATypeAndHelpAndNothingElse) {
  const auto messages = [](const std::string& line) {
    const Parsed parsed =
        ParseText("config X\n\tbool \"x\"\nconfig OLD\n\tbool\n\ttransitional\n\t" + line + "\n",
                  "linux-6.18");
    EXPECT_EQ(parsed.tree == nullptr, !Messages(parsed).empty());
    return Messages(parsed);
  };
  constexpr const char* kError = "error: transitional symbols can only have help sections\n";
  EXPECT_EQ(messages("help\n\t  Text."), "");
  for (const char* line : {"default y", "prompt \"p\"", "select X", "imply X"}) {
    EXPECT_EQ(messages(line), std::string("Kconfig:6: ") + kError) << line;
  }
  EXPECT_EQ(messages("depends on X"), std::string("Kconfig:3: ") + kError);
}

TEST(DialectTest, LoopsAreToldInTheOrderOfTheMenusSince611) {
  constexpr const char* kText =
      "config A\n\tbool \"a\"\n\tdepends on B\nconfig B\n\tbool \"b\"\n\tdepends on A\n";
  const Parsed parsed = ParseText(kText, "linux-6.11");
  ASSERT_EQ(parsed.cycles.size(), 1U);
  EXPECT_EQ(parsed.cycles[0][0].text, "symbol A depends on B");
  EXPECT_EQ(parsed.cycles[0][1].text, "symbol B depends on A");
}

TEST(DialectTest, ASecondInclusionIsRefusedSince70) {
  const auto parse = [](const char* dialect) {
    return ParseFiles({{"Kconfig", "source \"a\"\nsource \"a\"\n"}, {"a", "config A\n\tbool\n"}},
                      dialect);
  };
  EXPECT_NE(parse("linux-6.18").tree, nullptr);
  EXPECT_THAT(Messages(parse("linux-7.0")),
              HasSubstr("Kconfig:2: error: a was included before, at Kconfig:1"));
  EXPECT_EQ(parse("linux-7.0").repeated_inclusion, 2U);
}

LoadOptions OptionsIn(const std::filesystem::path& folder) {
  LoadOptions options;
  options.folders = {folder};
  options.environment = {{"PATH", "/usr/bin:/bin"}};
  options.memo = folder / "memo";
  options.shell = ShellPolicy::kRun;
  return options;
}

TEST(LoadTest, CommandsRunOnceAndNeverAgain) {
  auto folder = TempDir::Make("load");
  ASSERT_TRUE(WriteFileDurably(folder->path() / "Kconfig",
                               "A := $(shell,printf 'x\\ny\\n\\n')\nB := $(shell,echo \"<$(A)>\")\n"
                               "config X\n\tbool \"$(B)\"\n"));
  const Loaded first = LoadTree(OptionsIn(folder->path()));
  ASSERT_NE(first.tree, nullptr);
  EXPECT_EQ(first.commands_run, 2U);
  EXPECT_EQ(first.tree->property(first.tree->symbol(first.tree->Find("X")).first_property).text,
            "<x y>");
  const Loaded second = LoadTree(OptionsIn(folder->path()));
  EXPECT_EQ(second.commands_run, 0U);
  EXPECT_EQ(second.passes, 1);
}

TEST(LoadTest, PoliciesDecideAboutCommands) {
  auto folder = TempDir::Make("load");
  ASSERT_TRUE(WriteFileDurably(folder->path() / "Kconfig", "A := $(shell,echo 1)\n"));
  LoadOptions options = OptionsIn(folder->path());
  options.memo.clear();
  options.shell = ShellPolicy::kRefuse;
  EXPECT_THAT(LoadTreeOrError(options).error().message,
              HasSubstr("Kconfig:1: error: $(shell,echo 1)"));
  options.shell = ShellPolicy::kRecorded;
  EXPECT_FALSE(LoadTreeOrError(options));
  options.recorded = {{"echo 1", "2"}};
  EXPECT_TRUE(LoadTreeOrError(options));
}

TEST(LoadTest, TablesOfResultsReadBackAsWritten) {
  const ShellTable table = {{"a\tb\n", "x\\n"}, {"c", ""}};
  EXPECT_EQ(*ReadShellTable(WriteShellTable(table), "t"), table);
  EXPECT_THAT(ReadShellTable("a\tb\nno tab\n", "t").error().message, HasSubstr("t:2:"));
}

}  // namespace
}  // namespace hone::kconfig
