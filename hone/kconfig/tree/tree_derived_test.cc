// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/kconfig/language/texts_for_test.h"

// Small trees of our own that use what the trees of other projects use. tests/oracle loads the real
// ones that Debian has.
namespace hone::kconfig {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Configuration ConfigureFiles(const std::map<std::string, std::string>& files,
                             const std::string& dialect, Environment environment = {}) {
  const Parsed parsed = ParseFiles(files, dialect, std::move(environment));
  EXPECT_NE(parsed.tree, nullptr) << Messages(parsed);
  return Configuration(parsed.tree);
}

TEST(DerivedTreeTest, BuildrootHasAPrefixInItsNamesAndReadsTheEnvironment) {
  const Configuration c = ConfigureFiles(
      {{"Kconfig",
        "mainmenu \"Buildroot $BR2_VERSION Configuration\"\n"
        "config BR2_HAVE_DOT_CONFIG\n\tbool\n\tdefault y\n"
        "config BR2_EXTERNAL_DIR\n\tstring\n\toption env=\"BR2_EXTERNAL\"\n"
        "source \"$BR2_BASE_DIR/.br2-external.in.paths\"\n"
        "choice\n\tprompt \"Architecture\"\n\tdefault BR2_i386\n"
        "config BR2_i386\n\tbool \"i386\"\n\tselect BR2_ARCH_HAS_MMU_MANDATORY\n"
        "config BR2_arm\n\tbool \"arm\"\nendchoice\n"
        "config BR2_ARCH_HAS_MMU_MANDATORY\n\tbool\n"
        "config BR2_ARCH\n\tstring\n\tdefault \"i386\" if BR2_i386\n\tdefault \"arm\" if "
        "BR2_arm\n"},
       {"out/.br2-external.in.paths", "comment \"no external\"\n"}},
      "buildroot", {{"BR2_VERSION", "2024.02"}, {"BR2_BASE_DIR", "out"}, {"BR2_EXTERNAL", "/x"}});
  const std::string config = WriteConfig(c);
  EXPECT_THAT(config, HasSubstr("\nBR2_i386=y\n# BR2_arm is not set\n"));
  EXPECT_THAT(config, HasSubstr("\nBR2_ARCH=\"i386\"\n"));
  EXPECT_THAT(config, HasSubstr("# Buildroot 2024.02 Configuration\n"));
  EXPECT_THAT(config, Not(HasSubstr("CONFIG_")));
}

TEST(DerivedTreeTest, ZephyrSourcesByPatternAndSetsDefaultsBeforeTypes) {
  const Configuration c = ConfigureFiles(
      {{"Kconfig",
        "osource \"$(BOARD_DIR)/Kconfig.defconfig\"\nrsource \"kernel/Kconfig\"\n"
        "orsource \"gone/Kconfig\"\nsource \"soc/*\"\n"
        "config HW_CLOCK\n\tint \"clock\"\n"},
       {"boards/x/Kconfig.defconfig",
        "if BOARD_X\nconfig HW_CLOCK\n\tdefault 32768\nendif\nconfig BOARD_X\n\tdef_bool y\n"},
       {"kernel/Kconfig",
        "menuconfig MULTITHREADING\n\tbool \"threads\" if ARCH_HAS\n\tdefault y\n"
        "config NUM_PRIORITIES\n\tint \"priorities\" if MULTITHREADING\n\tdefault 15\n"
        "\trange 1 128\n"
        "config ARCH_HAS\n\tbool\n"
        "DT_CHOSEN := zephyr,sram\n"
        "config SRAM\n\tdef_hex 0x20000000\n"},
       {"soc/a", "config SOC_NAME\n\tdef_string \"$(1)soc\"\n"},
       {"soc/b", "config SOC_COUNT\n\tdef_int 2\n"}},
      "kconfiglib", {{"BOARD_DIR", "boards/x"}});
  EXPECT_EQ(ValueOf(c, "HW_CLOCK"), "32768");
  EXPECT_EQ(ValueOf(c, "SRAM"), "0x20000000");
  EXPECT_EQ(ValueOf(c, "SOC_NAME"), "soc");
  EXPECT_EQ(ValueOf(c, "SOC_COUNT"), "2");
  EXPECT_EQ(ValueOf(c, "NUM_PRIORITIES"), "15");
}

TEST(DerivedTreeTest, CorebootMaySourceWhatIsNotThere) {
  const Configuration c = ConfigureFiles(
      {{"Kconfig",
        "source \"site-local/Kconfig\"\nsource \"src/mainboard/*/Kconfig.name\"\n"
        "config MAINBOARD_DIR\n\tstring\n\tdefault \"b\"\n\t---help---\n\t  Where.\n"}},
      "coreboot");
  EXPECT_EQ(ValueOf(c, "MAINBOARD_DIR"), "b");
}

TEST(DerivedTreeTest, UBootHasBareWordsAndStringsWithoutEscapes) {
  Configuration c =
      ConfigureFiles({{"Kconfig",
                       "menu Networking\nsource lib/efi/Kconfig\nendmenu\n"
                       "config PROMPT\n\tstring \"p\"\n\tdefault \"in %d seconds\\\\n\"\n"},
                      {"lib/efi/Kconfig", "config EFI\n\tbool n\n\t---help---\n\t  Text.\n"}},
                     "u-boot");
  EXPECT_THAT(WriteConfig(c), HasSubstr("CONFIG_PROMPT=\"in %d seconds\\n\"\n"));
  EXPECT_THAT(WriteConfig(c), HasSubstr("#\n# Networking\n#\n# CONFIG_EFI is not set\n"));
  LoadConfig(c, "CONFIG_PROMPT=\"a\\b\"\n", {"CONFIG_"});
  EXPECT_THAT(WriteConfig(c), HasSubstr("CONFIG_PROMPT=\"a\\b\"\n"));
}

TEST(DerivedTreeTest, BusyboxWritesEverySymbolAndItsVersion) {
  const Configuration c = ConfigureFiles(
      {{"Kconfig",
        "config A\n\tbool \"a\"\n\tdefault n\nconfig B\n\tint \"b\"\n\tdepends on A\n"
        "config HIDDEN\n\tbool\n"}},
      "busybox", {{"KERNELVERSION", "1.35.0"}});
  EXPECT_EQ(WriteConfig(c),
            "#\n# Automatically generated make config: don't edit\n# Busybox version: 1.35.0\n#\n"
            "# CONFIG_A is not set\nCONFIG_B=0\n# CONFIG_HIDDEN is not set\n");
}

TEST(DerivedTreeTest, OldToolsWriteADefaultThatIsNo) {
  const std::string text = "config A\n\tbool \"a\"\nconfig B\n\tbool\n\tdefault A\n";
  EXPECT_THAT(WriteConfig(Configure(text, "linux-2.6")), HasSubstr("# CONFIG_B is not set"));
  EXPECT_THAT(WriteConfig(Configure(text, "linux-6.1")), Not(HasSubstr("CONFIG_B")));
}

// What a tree's own copy of kconfig accepts is read off its sources.
TEST(DerivedTreeTest, TheRulesOfAnUnknownTreeAreThoseOfItsOwnTool) {
  auto folder = TempDir::Make("own-kconfig");
  const auto write = [&](const char* name, const char* text) {
    const auto path = folder->path() / name;
    std::filesystem::create_directories(path.parent_path());
    ASSERT_TRUE(WriteFileDurably(path, text));
  };
  write("tools/kconfig/lexer.l", "\"help\"|\"---help---\" return T_HELP;\nglob(wildcard);\n");
  write("tools/kconfig/parser.y", "%token T_OPTION T_MODULES\nif (sym_check_deps(sym)) yynerrs++;");
  write("tools/kconfig/symbol.c", "newval.tri != no; newval.val = \"0x0\";");
  write("tools/kconfig/confdata.c", "fprintf(out, \"# end of %s\\n\", str);");
  write("tools/kconfig/preprocess.c", "");
  const Dialect dialect = DetectDialect(folder->path());
  EXPECT_EQ(dialect.name, "own");
  EXPECT_TRUE(dialect.has_macros);
  EXPECT_TRUE(dialect.has_dashed_help);
  EXPECT_TRUE(dialect.has_source_globs);
  EXPECT_TRUE(dialect.has_end_comments);
  EXPECT_TRUE(dialect.has_numeric_zero_default);
  EXPECT_FALSE(dialect.writes_default_no);
  EXPECT_FALSE(dialect.has_bare_texts);
  EXPECT_FALSE(dialect.may_cycle);
  EXPECT_EQ(dialect.choice_rules, ChoiceRules::kSymbol);
  EXPECT_EQ(dialect.prefix, "CONFIG_");
  write("tools/kconfig/Makefile", "HOST_EXTRACFLAGS += -DCONFIG_='\"\"'\n");
  EXPECT_EQ(DetectDialect(folder->path()).prefix, "");
  write("tools/kconfig/Makefile", "");
  write("tools/kconfig/Makefile.am", "AM_CPPFLAGS = -DCONFIG_=\\\"CT_\\\" -Iinclude\n");
  EXPECT_EQ(DetectDialect(folder->path()).prefix, "CT_");
}

}  // namespace
}  // namespace hone::kconfig
