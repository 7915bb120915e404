// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/kernel_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/kconfig/files/project.h"

namespace hone::kconfig {
namespace {

using ::testing::HasSubstr;

class TreeOnDiskTest : public testing::Test {
 protected:
  TreeOnDiskTest() : folder_(TempDir::Make("kconfig-place")) {}

  const std::filesystem::path& root() const { return folder_->path(); }
  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root() / name).parent_path());
    ASSERT_TRUE(WriteFileDurably(root() / name, text));
  }
  LoadOptions Options(const std::string& arch = "") {
    const auto place = LocateTree(root(), arch);
    EXPECT_TRUE(place) << place.error().message;
    return OptionsFor(*place, {}, ShellPolicy::kRefuse);
  }

  const Result<TempDir> folder_;
};

TEST_F(TreeOnDiskTest, AnArchFolderThatTheTreeDoesNotReadIsNoArchitecture) {
  Write("Config.in", "source \"arch/Config.in\"\n");
  Write("arch/Config.in", "");
  Write("arch/Config.in.arm", "");
  const auto place = LocateTree(root(), "");
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_EQ(place->arch, "");
  EXPECT_FALSE(Options().environment.contains("SRCARCH"));
  EXPECT_EQ(Options("arm64").environment.at("ARCH"), "arm64");
}

TEST_F(TreeOnDiskTest, TheFolderOfTheArchitectureIsFound) {
  Write("Kconfig", "source \"arch/Kconfig\"\n");
  Write("arch/Kconfig", "source \"arch/$(SRCARCH)/Kconfig\"\n");
  Write("arch/arm/Kconfig", "");
  Write("arch/x86/Kconfig", "");
  EXPECT_EQ(LocateTree(root(), "x86_64")->source_arch, "x86");
  EXPECT_EQ(LocateTree(root(), "arm64")->source_arch, "arm");
  EXPECT_EQ(Options("arm64").environment.at("ARCH"), "arm64");
  EXPECT_THAT(LocateTree(root(), "mips").error().message, HasSubstr("it has arm, x86"));
}

TEST_F(TreeOnDiskTest, WhatTheMakefileExportsIsFound) {
  Write("Config.in", "");
  Write("Makefile", "export BR2_VERSION := 2026.08\n");
  const Environment buildroot = Options().environment;
  EXPECT_EQ(buildroot.at("BR2_VERSION_FULL"), "2026.08");
  EXPECT_EQ(buildroot.at("BASE_DIR"), (std::filesystem::canonical(root()) / "output").string());
  Write("Makefile",
        "VERSION = 2026\nPATCHLEVEL = 10\nSUBLEVEL =\nEXTRAVERSION = -rc2\n"
        "UBOOTVERSION = $(VERSION)\n");
  EXPECT_EQ(Options().environment.at("UBOOTVERSION"), "2026.10-rc2");
  Write("Makefile",
        "export XEN_VERSION = 4\nexport XEN_SUBVERSION = 17\n"
        "export XEN_EXTRAVERSION ?= .5$(XEN_VENDORVERSION)\nXEN_FULLVERSION = x\n");
  EXPECT_EQ(Options().environment.at("XEN_FULLVERSION"), "4.17.5");
}

TEST_F(TreeOnDiskTest, WhatMustBeMadeFirstIsKnown) {
  EXPECT_EQ(ProjectAt(root()).preparation, "");
  Write("scripts/genconfig.sh", "");
  EXPECT_EQ(ProjectAt(root()).preparation, "bash scripts/genconfig.sh");
}

TEST_F(TreeOnDiskTest, ATreeOneFolderDeeperIsNamed) {
  Write("xen/Kconfig", "");
  Write("xen/Makefile", "");
  Write("tools/Makefile", "");
  EXPECT_THAT(LocateTree(root(), "").error().message, HasSubstr("/xen?"));
  EXPECT_THAT(LocateTree(root(), "").error().message, testing::Not(HasSubstr("/tools")));
}

TEST_F(TreeOnDiskTest, UnikraftNeedsFreeCommandsAndGetsItsVariables) {
  Write("Config.uk", "");
  EXPECT_FALSE(ProjectAt(root()).needs_free_commands);
  Write("support/build/config-submenu.sh", "");
  Write("version.mk", "UK_VERSION = 0\nUK_SUBVERSION = 17\nUK_EXTRAVERSION = 0\n");
  EXPECT_TRUE(ProjectAt(root()).needs_free_commands);
  EXPECT_EQ(Options().environment.at("UK_FULLVERSION"), "0.17.0");
  EXPECT_EQ(Options().environment.at("KCONFIG_ELIB_DIRS"), "");
}

TEST_F(TreeOnDiskTest, ThePrefixOfNamesIsThatOfTheEnvironment) {
  Write("Kconfig", "");
  const auto place = LocateTree(root(), "");
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_EQ(OptionsFor(*place, {}, ShellPolicy::kRefuse).dialect.prefix, "CONFIG_");
  EXPECT_EQ(OptionsFor(*place, {{"CONFIG_", "X_"}}, ShellPolicy::kRefuse).dialect.prefix, "X_");
}

TEST_F(TreeOnDiskTest, TheMajorVersionOfACompilerIsReadOffItsLastWord) {
  EXPECT_EQ(MajorVersionOf("gcc (Debian 12.2.0-14) 12.2.0"), "12");
  EXPECT_EQ(MajorVersionOf(""), "");
}

}  // namespace
}  // namespace hone::kconfig
