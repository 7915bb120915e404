// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/options/boot_parameters.h"

#include <gtest/gtest.h>

namespace hone::kernels {
namespace {

// In the form of Linux 6.1.
constexpr char kList[] =
    "\tthreadirqs\t[KNL]\n"
    "\t\t\tForce threading, but for those\n"
    "\n"
    "\tnosmt\t\t[KNL,S390] Disable symmetric multithreading (SMT).\n"
    "\t\t\tnosmt=force: Force disable SMT\n"
    "\n"
    "\taudit=\t\t[KNL] Enable the audit sub-system\n"
    "\t\t\tquiet is another one\n"
    "\tslub_nomerge\t[MM, SLUB]\n";

TEST(BootParametersTest, OneThatIsNeverShownWithAValueIsAFlag) {
  const BootParameters parameters(kList);
  EXPECT_TRUE(parameters.IsFlag("threadirqs"));
  EXPECT_FALSE(parameters.IsFlag("nosmt"));
  EXPECT_FALSE(parameters.IsFlag("audit"));
}

TEST(BootParametersTest, WhatHasNoEntryIsNotJudged) {
  const BootParameters parameters(kList);
  EXPECT_FALSE(parameters.IsFlag("quiet"));
  EXPECT_FALSE(BootParameters("").IsFlag("threadirqs"));
}

TEST(BootParametersTest, HyphenAndUnderscoreAreTheSame) {
  EXPECT_TRUE(BootParameters(kList).IsFlag("slub-nomerge"));
}

}  // namespace
}  // namespace hone::kernels
