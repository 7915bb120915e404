// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/program_counters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "hone/base/process/running_process.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using testing::HasSubstr;

Command ScriptToCount(const std::string& script) {
  Command command;
  command.arguments = {"/bin/sh", "-c", script};
  return command;
}

Counts CountsOfScript(const std::string& script) {
  const auto done = RunProcess(ScriptToCount(script));
  EXPECT_TRUE(done.has_value());
  return CountsOf(*done);
}

// So that the machine's own noise is small beside it.
constexpr const char* kBusy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";

TEST(ProgramCountersTest, ProgramsAreCountedUntilTheirEnd) {
  const Counts idle = CountsOfScript("true");
  EXPECT_GT(CountsOfScript(kBusy).at("cpu_time_s"), 3 * idle.at("cpu_time_s"));
  EXPECT_GT(idle.at("page_faults"), 0);
}

TEST(ProgramCountersTest, WhateverTheProgramStartsIsCountedToo) {
  const Counts one = CountsOfScript("true");
  const Counts many =
      CountsOfScript("for i in 1 2 3 4 5 6 7 8 9 10; do (sleep 0.001; sleep 0.001) & done; wait");
  EXPECT_GE(many.at("context_switches"), one.at("context_switches") + 20);
  EXPECT_GT(many.at("page_faults"), one.at("page_faults") + 100);
}

TEST(ProgramCountersTest, ARunningTreeIsReadWithWhatHasEndedInIt) {
  const auto process = RunningProcess::Start(ScriptToCount(
      fmt::format("sh -c '{}'; exec 3>&1; echo done; while :; do sleep 0.01; done", kBusy)));
  ASSERT_TRUE(process.has_value());
  TreeCounts counts;
  WaitUntil(
      [&] {
        counts = ReadTreeCounts((*process)->supervisor());
        return counts.totals["cpu_time_s"] >= 0.02;
      },
      "the script has computed");
  EXPECT_GT(counts.totals.at("page_faults"), 0);
  EXPECT_GT(counts.totals.at("context_switches"), 0);
  EXPECT_GE(counts.tasks.size(), 2U);  // The supervisor and the script.
}

TEST(ProgramCountersTest, ContextSwitchesOfThreadsThatWentAreNotMadeUp) {
  TreeCounts before{{{"context_switches", 5}, {"page_faults", 7}}, {1, 2}};
  TreeCounts after{{{"context_switches", 9}, {"page_faults", 10}}, {1, 2}};
  EXPECT_EQ(CountsBetween(before, after), (Counts{{"context_switches", 4}, {"page_faults", 3}}));
  after.tasks = {1, 3};
  EXPECT_EQ(CountsBetween(before, after), (Counts{{"page_faults", 3}}));
  EXPECT_EQ(Together({{"page_faults", 1}, {"x", 2}}, {{"page_faults", 2}}),
            (Counts{{"page_faults", 3}}));
}

TEST(ProgramCountersTest, EveryCounterOfProcessorsIsThereOrItsAbsenceHasAReason) {
  const CpuCounters counters = CpuCounters::Open({});
  const Counts counts = counters.Read();
  const std::string missing = MissingCounters();
  for (const char* name : {"instructions", "cycles", "cache_misses", "cpu_migrations"}) {
    EXPECT_NE(counts.contains(name), missing.find(name) != missing.npos) << name << missing;
  }
  EXPECT_TRUE(CountsBetween({}, counts).empty());
  for (const auto& [name, count] : CountsBetween(counts, counters.Read())) EXPECT_GE(count, 0);
}

TEST(ProgramCountersTest, TheyCanBeSwitchedOff) {
  ::setenv("HONE_COUNTERS", "off", 1);
  EXPECT_TRUE(IsCountingOff());
  EXPECT_TRUE(CpuCounters::Open({}).Read().empty());
  EXPECT_THAT(MissingCounters(), HasSubstr("HONE_COUNTERS"));
  ::unsetenv("HONE_COUNTERS");
  EXPECT_FALSE(IsCountingOff());
}

}  // namespace
}  // namespace hone
