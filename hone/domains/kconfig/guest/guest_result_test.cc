// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_result.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Answer(const std::string& workloads, const std::string& nonce = "abc") {
  return R"({"nonce":")" + nonce +
         R"(","booted":1000,"booted_clock_ns":5,"ticks_per_second":0,"memory_total_kib":1000,)" +
         R"("memory_free_kib":900,"workloads":{)" + workloads + "}}\n";
}

Result<GuestResult> Read(const std::string& text) {
  return ReadGuestResult(text, "abc", GuestArchNamed("x86_64").value());
}

TEST(GuestResultTest, TicksBecomeNanosecondsOfACall) {
  const auto result = Read(Answer(R"("fork":{"calls":10,"ticks":5000,"clock_ns":5100})"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_DOUBLE_EQ(result->workloads.at("fork").ns, 500);
  EXPECT_EQ(result->memory_free_kib, 900);
}

TEST(GuestResultTest, ACounterThatSaysItsRateIsReadByIt) {
  std::string text = Answer(R"("fork":{"calls":1,"ticks":62500,"clock_ns":1000000})");
  text.replace(text.find(R"("ticks_per_second":0)"), 20, R"("ticks_per_second":62500000)");
  EXPECT_DOUBLE_EQ(Read(text)->workloads.at("fork").ns, 1e6);
}

TEST(GuestResultTest, AnAnswerToAnotherQuestionIsNone) {
  const auto result = ReadGuestResult(Answer("", "other"), "abc", GuestArchNamed("x86_64").value());
  EXPECT_THAT(result.error().message, HasSubstr("another question"));
}

TEST(GuestResultTest, AKernelWhoseClockRunsSlowerIsFoundOut) {
  const auto result = Read(Answer(R"("fork":{"calls":10,"ticks":500000000,"clock_ns":50000000})"));
  EXPECT_THAT(result.error().message, HasSubstr("by the kernel's clock"));
}

std::string AnswerOfCommand(double clock_share, std::int64_t step_ns = 40,
                            std::int64_t ticks = 1'000'000'000) {
  std::string text = Answer("");
  text.replace(text.rfind('}'), std::string::npos,
               fmt::format(R"(,"command":{{"status":0,"ticks":{},"clock_ns":{:.0f},)"
                           R"("clock_step_ns":{},"output":"","log":""}}}})",
                           ticks, static_cast<double>(ticks) * clock_share, step_ns));
  return text;
}

// Its numbers are the clock's: what that is off by could be taken for a gain.
TEST(GuestResultTest, ABenchmarkWhoseClockIsOffByLessThanAGainIsBelieved) {
  for (const double share : {1.0, 0.996, 1.004}) {
    EXPECT_TRUE(Read(AnswerOfCommand(share)))
        << share << Read(AnswerOfCommand(share)).error().message;
  }
  for (const double share : {0.994, 1.006, 0.97, 1.04}) {
    const auto read = Read(AnswerOfCommand(share));
    ASSERT_FALSE(read) << share;
    EXPECT_THAT(read.error().message, HasSubstr("by the kernel's clock"));
  }
  EXPECT_THAT(Read(AnswerOfCommand(0.5, 40, 20'000'000)).error().message,
              HasSubstr("by the kernel's clock"));
}

TEST(GuestResultTest, ABenchmarkIsNotTimedByAClockThatOnlyTicks) {
  const auto read = Read(AnswerOfCommand(1, 4'000'000));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("advances by 4000000 ns at a time"));
}

TEST(GuestResultTest, WhatTheKernelCannotRunIsNamed) {
  EXPECT_THAT(Read(Answer(R"("socket":null)"))->missing, ElementsAre("socket"));
}

TEST(GuestResultTest, NonsenseIsRefusedAndNeverCrashes) {
  for (const char* text :
       {"", "{", "null", R"({"nonce":"abc"})", R"({"nonce":"abc","workloads":[]})"}) {
    EXPECT_FALSE(Read(text)) << text;
  }
  for (const char* workload :
       {R"("fork":{"calls":0,"ticks":1,"clock_ns":1})",
        R"("fork":{"calls":1,"ticks":0,"clock_ns":0})",
        R"("fork":{"calls":-1,"ticks":5,"clock_ns":5})", R"("fork":{})", R"("fork":7)"}) {
    EXPECT_FALSE(Read(Answer(workload))) << workload;
  }
}

TEST(GuestResultTest, ATaskSetsFirstAndRunsThen) {
  EXPECT_EQ(GuestTask("n", {"fork", "pipe"}, {{"vm.overcommit_memory", "1"}}),
            "nonce n\nset /proc/sys/vm/overcommit_memory 1\nrun fork\nrun pipe\n");
}

}  // namespace
}  // namespace hone::kernels
