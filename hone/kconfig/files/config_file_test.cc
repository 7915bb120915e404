// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/config_file.h"

#include <gtest/gtest.h>

#include "hone/kconfig/language/texts_for_test.h"

namespace hone::kconfig {
namespace {

constexpr const char* kTree = R"(mainmenu "T"
config MODULES
	bool "modules"
	default y
	modules
menu "M"
config A
	tristate "a"
config S
	string "s"
	default "a\"b\\c"
config H
	hex "h"
	default 1f
endmenu
config N
	int "n"
	range 1 5
	default 2
)";

TEST(ConfigFileTest, WritesWhatTheCToolWrites) {
  Configuration c = Configure(kTree);
  c.Set(c.tree().Find("A"), Tristate::kModule);
  EXPECT_EQ(WriteConfig(c), R"(#
# Automatically generated file; DO NOT EDIT.
# T
#
CONFIG_MODULES=y

#
# M
#
CONFIG_A=m
CONFIG_S="a\"b\\c"
CONFIG_H=1f
# end of M

CONFIG_N=2
)");
  EXPECT_EQ(WriteMinimalConfig(c), "CONFIG_A=m\n");
  EXPECT_NE(WriteAutoHeader(c).find("#define CONFIG_A_MODULE 1\n"), std::string::npos);
  EXPECT_NE(WriteAutoHeader(c).find("#define CONFIG_H 0x1f\n"), std::string::npos);
  EXPECT_NE(WriteAutoConf(c).find("CONFIG_S=a\"b\\c\n"), std::string::npos);
  EXPECT_NE(WriteRustCfg(c).find("--cfg=CONFIG_A\n--cfg=CONFIG_A=\"m\"\n"), std::string::npos);
}

TEST(ConfigFileTest, WhatWasWrittenReadsBackToTheSame) {
  Configuration c = Configure(kTree);
  c.Set(c.tree().Find("A"), Tristate::kYes);
  ASSERT_TRUE(c.Set(c.tree().Find("S"), "back\\slash \"quote\""));
  const std::string text = WriteConfig(c);
  Configuration again(c.shared_tree());
  EXPECT_TRUE(LoadConfig(again, text, {}).warnings.empty());
  EXPECT_EQ(WriteConfig(again), text);
}

TEST(ConfigFileTest, LinesThatAreWrongAreToldWithTheirNumber) {
  Configuration c = Configure(kTree);
  const ReadReport report = LoadConfig(c,
                                       "CONFIG_A=y\r\nnonsense\nCONFIG_A=m\nCONFIG_MODULES="
                                       "m\nCONFIG_S=\"open\nCONFIG_N=x\nCONFIG_GONE=1\n",
                                       {"CONFIG_", true});
  ASSERT_EQ(report.warnings.size(), 6U);
  EXPECT_EQ(report.warnings[0].line, 2U);
  EXPECT_EQ(report.warnings[0].message, "unexpected data: nonsense");
  EXPECT_EQ(report.warnings[1].message, "override: reassigning to symbol A");
  EXPECT_EQ(report.warnings[2].message, "symbol value 'm' invalid for MODULES");
  EXPECT_EQ(report.warnings[3].message, "invalid string found");
  EXPECT_EQ(report.warnings[5].message, "unknown symbol: GONE");
  EXPECT_EQ(ValueOf(c, "A"), "m");
}

TEST(ConfigFileTest, NumbersOutOfRangeAreTakenBack) {
  Configuration c = Configure(kTree);
  LoadConfig(c, "CONFIG_N=9\n", {});
  EXPECT_EQ(ValueOf(c, "N"), "2");
}

TEST(ConfigFileTest, NoBytesAtAllCrashTheReader) {
  std::string bytes;
  for (std::uint32_t i = 0; i < 100'000; ++i) bytes += static_cast<char>((i * 48271U) >> 5U);
  Configuration c = Configure(kTree);
  LoadConfig(c, bytes, {});
  LoadConfig(c, "CONFIG_S=\"\\", {});
  LoadConfig(c, "# CONFIG_A is not set", {});
  EXPECT_EQ(ValueOf(c, "A"), "n");
}

}  // namespace
}  // namespace hone::kconfig
