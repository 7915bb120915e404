// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest.h"

#include <gtest/gtest.h>

namespace hone::kernels {
namespace {

GuestReport Judge(std::string console, bool has_result, bool ended_itself) {
  return JudgeGuest({std::move(console), has_result, ended_itself});
}

TEST(GuestTest, OneThatEndsWithAnAnswerIsFine) {
  EXPECT_EQ(Judge("Linux version 6.1\n", true, true).end, GuestEnd::kEnded);
}

TEST(GuestTest, AWordlessConsoleIsToldFromOneThatStops) {
  EXPECT_EQ(Judge("\r\n", false, false).end, GuestEnd::kSilent);
  EXPECT_EQ(Judge("[    0.1] calibrating\n", false, false).end, GuestEnd::kHung);
  EXPECT_EQ(Judge("[    0.1] reboot: Restarting system\n", false, true).end, GuestEnd::kMute);
}

TEST(GuestTest, WhatOurProgramSaysInItsDistressIsTheFault) {
  EXPECT_EQ(Judge("Run /init\nhone: no port to the host: x\r\nreboot\n", false, true).fault,
            "hone: no port to the host: x");
}

TEST(GuestTest, APanicForWantOfAnInitIsOneOfInit) {
  const GuestReport report = Judge(
      "[ 1.0] Kernel panic - not syncing: No working init found.  Try passing init= option\r\n"
      "[ 1.1] Rebooting\r\n",
      false, true);
  EXPECT_EQ(report.end, GuestEnd::kNoInit);
  EXPECT_EQ(report.fault,
            "[ 1.0] Kernel panic - not syncing: No working init found.  Try passing init= option");
}

TEST(GuestTest, AnOopsIsOneEvenIfItPanicsThen) {
  EXPECT_EQ(Judge("BUG: kernel NULL pointer dereference\nKernel panic - not syncing: Fatal\n",
                  false, true)
                .end,
            GuestEnd::kOops);
  EXPECT_EQ(Judge("Kernel panic - not syncing: Out of memory\n", false, true).end,
            GuestEnd::kPanic);
}

TEST(GuestTest, WordsInTheMiddleOfOthersAreNoFault) {
  EXPECT_EQ(Judge("[ 0.5] DEBUG: 3 of 4\n", true, true).end, GuestEnd::kEnded);
  const GuestReport report = Judge("DEBUG: 3 of 4\n[ 0.6] BUG: sleeping function\n", true, true);
  EXPECT_EQ(report.end, GuestEnd::kOops);
  EXPECT_EQ(report.fault, "[ 0.6] BUG: sleeping function");
}

TEST(GuestTest, AFaultOfAProgramIsNoneOfTheKernel) {
  EXPECT_EQ(
      Judge("traps: a.out[61] general protection fault ip:40 sp:7f error:0\n", true, true).end,
      GuestEnd::kEnded);
  EXPECT_EQ(Judge("general protection fault, probably for non-canonical address\n", true, true).end,
            GuestEnd::kOops);
  EXPECT_EQ(Judge("general protection fault: 0000 [#1]\n", true, true).end, GuestEnd::kOops);
}

TEST(GuestTest, AKernelThatPanickedIsNotBelievedWhateverItSaid) {
  EXPECT_EQ(Judge("Kernel panic - not syncing: x\n", true, true).end, GuestEnd::kPanic);
}

TEST(GuestTest, OnlyTheEndOfALongConsoleIsShown) {
  const GuestReport report = Judge(std::string(1 << 20, 'x') + "the end", true, true);
  EXPECT_LT(report.console.size(), std::size_t{20'000});
  EXPECT_TRUE(report.console.ends_with("the end"));
}

TEST(GuestArchTest, NamesOfPeopleAndOfMachinesAreKnown) {
  EXPECT_EQ(GuestArchNamed("x86")->name, "x86_64");
  EXPECT_EQ(GuestArchNamed("aarch64")->name, "arm64");
  EXPECT_EQ(GuestArchNamed("riscv64")->name, "riscv");
  EXPECT_NE(GuestArchNamed("m68k").error().message.find("there are x86_64, arm64, riscv"),
            std::string::npos);
}

}  // namespace
}  // namespace hone::kernels
