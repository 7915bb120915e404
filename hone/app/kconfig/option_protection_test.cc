// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kconfig/option_protection.h"

#include <gtest/gtest.h>

namespace hone::app {
namespace {

TEST(OptionProtectionTest, WhatKeepsAMachineSecureIsProtectedUnlessItIsAllowed) {
  const auto rule = OptionProtection({"RETPOLINE"});
  EXPECT_FALSE(rule("SMP").reason.empty());
  EXPECT_FALSE(rule("SMP").may_follow);
  EXPECT_FALSE(rule("PAGE_TABLE_ISOLATION").reason.empty());
  EXPECT_TRUE(rule("RETPOLINE").reason.empty());
  EXPECT_TRUE(rule("HZ_250").reason.empty());
}

TEST(OptionProtectionTest, TextsThatABuildOrABootObeysAreProtected) {
  const auto rule = OptionProtection({});
  for (const char* option : {"CMDLINE", "CMDLINE_OVERRIDE", "INITRAMFS_SOURCE",
                             "EXTRA_FIRMWARE_DIR", "SYSTEM_TRUSTED_KEYS", "MODPROBE_PATH"}) {
    EXPECT_FALSE(rule(option).reason.empty()) << option;
    EXPECT_TRUE(rule(option).may_follow) << option;
  }
}

}  // namespace
}  // namespace hone::app
