// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/rebuild_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::kernels {
namespace {

using ::testing::ElementsAre;

class RebuildCostTest : public ::testing::Test {
 protected:
  void AddObject(const std::string& name, const std::vector<std::string>& options) {
    std::string text = "savedcmd_x := gcc -c x.c\n\ndeps_x := \\\n";
    for (const std::string& option : options) {
      text += "    $(wildcard include/config/" + option + ") \\\n";
    }
    ASSERT_TRUE(MakeFolder(folder_.path() / "kernel"));
    ASSERT_TRUE(WriteFileAtomically(folder_.path() / "kernel" / ("." + name + ".o.cmd"), text));
  }

  TempDir folder_ = TempDir::Make("hone-cost-test").value();
};

TEST_F(RebuildCostTest, AnObjectIsCountedOnceForAllThatItMentions) {
  AddObject("fork", {"SMP", "HZ"});
  AddObject("exit", {"SMP"});
  AddObject("time", {"HZ", "NO_HZ"});
  const RebuildCost cost = RebuildCost::Read(folder_.path());
  EXPECT_EQ(cost.objects(), std::size_t{3});
  EXPECT_EQ(cost.Of({"SMP"}), std::size_t{2});
  EXPECT_EQ(cost.Of({"SMP", "HZ"}), std::size_t{3});
  EXPECT_EQ(cost.Of({"UNHEARD_OF"}), std::size_t{0});
}

TEST_F(RebuildCostTest, WhatChangesTheCompilersArgumentsMakesEverythingAgain) {
  AddObject("fork", {"SMP"});
  AddObject("exit", {});
  AddObject("time", {"HZ"});
  const auto write = [&](const std::string& name, const std::string& text) {
    ASSERT_TRUE(MakeFolder((folder_.path() / name).parent_path()));
    ASSERT_TRUE(WriteFileAtomically(folder_.path() / name, text));
  };
  write("Makefile",
        "ifdef CONFIG_CC_OPTIMIZE_FOR_SIZE\nKBUILD_CFLAGS += -Os\nelse ifdef CONFIG_FASTER\n"
        "KBUILD_CFLAGS += -O3\nendif\nKBUILD_CFLAGS-$(CONFIG_WERROR) += -Werror\n"
        "obj-$(CONFIG_NET) += net/\nifdef CONFIG_MODULES\nall: modules\nendif\n");
  write("arch/x86/Makefile", "KBUILD_CFLAGS += $(if $(CONFIG_MATOM),-march=atom)\n");
  write("scripts/Makefile.ubsan", "export CFLAGS_X := $(CONFIG_UBSAN)\n");
  const auto flags = FlagOptions(folder_.path(), "arch/x86");
  EXPECT_THAT(flags, ElementsAre("CC_OPTIMIZE_FOR_SIZE", "FASTER", "MATOM", "WERROR"));
  EXPECT_EQ(RebuildCost::Read(folder_.path(), flags).Of({"FASTER"}), std::size_t{2});
}

TEST_F(RebuildCostTest, AFolderThatIsNotThereCostsNothing) {
  EXPECT_EQ(RebuildCost::Read(folder_.path() / "none").objects(), std::size_t{0});
}

TEST(DifferentOptionsTest, AreThoseWithAnotherValueOrWithNone) {
  EXPECT_THAT(DifferentOptions("CONFIG_A=y\nCONFIG_B=1\nCONFIG_C=y\n", "CONFIG_A=y\nCONFIG_B=2\n"),
              ElementsAre("B", "C"));
  EXPECT_TRUE(DifferentOptions("CONFIG_A=y\n", "CONFIG_A=y\n").empty());
}

}  // namespace
}  // namespace hone::kernels
