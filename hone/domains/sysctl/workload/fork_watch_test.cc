// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/fork_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "hone/base/process/running_process.h"
#include "hone/base/process/subprocess.h"

namespace hone::sysctl {
namespace {

Command ShellOfFork(const std::string& text) {
  Command command;
  command.arguments = {"sh", "-c", text};
  return command;
}

TEST(ForkWatchTest, AProcessThatHasEndedIsTraced) {
  const auto watch = ForkWatch::Start();
  if (!watch) GTEST_SKIP() << "needs root outside of a container: the process connector";
  const auto other = RunningProcess::Start(ShellOfFork("sleep 1000"));
  ASSERT_TRUE(other.has_value());
  const auto process = RunningProcess::Start(ShellOfFork("(sh -c 'echo $$'; true); true"));
  ASSERT_TRUE(process.has_value());
  const pid_t supervisor = (*process)->supervisor();
  const auto& done = (*process)->Wait();
  ASSERT_TRUE(done.has_value()) << done.error().message;
  const pid_t grandchild = std::stoi(done->output);
  EXPECT_EQ(watch->DescendsFromAny(grandchild, {(*other)->supervisor(), supervisor}), true);
  EXPECT_EQ(watch->DescendsFromAny(grandchild, {(*other)->supervisor()}), false);
  EXPECT_EQ(watch->DescendsFromAny(grandchild, {}), false);
  EXPECT_EQ(watch->DescendsFromAny(supervisor, {supervisor}), true);
}

TEST(ForkWatchTest, WhatIsOlderThanTheWatchDescendsFromNothingThatIsNot) {
  const auto older = RunningProcess::Start(ShellOfFork("sleep 1000"));
  ASSERT_TRUE(older.has_value());
  const auto watch = ForkWatch::Start();
  if (!watch) GTEST_SKIP() << "needs root outside of a container: the process connector";
  const auto younger = RunningProcess::Start(ShellOfFork("sleep 1000"));
  ASSERT_TRUE(younger.has_value());
  EXPECT_EQ(watch->DescendsFromAny((*older)->supervisor(), {(*younger)->supervisor()}), false);
}

TEST(ForkWatchTest, ItIsKnownWhenThereWasMoreToTellThanRoom) {
  const auto watch = ForkWatch::Start(4096);
  if (!watch) GTEST_SKIP() << "needs root outside of a container: the process connector";
  const auto result = RunProcess(ShellOfFork("for i in 1 2 3 4 5 6 7 8 9; do true | true; done"));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(watch->DescendsFromAny(1, {}), std::nullopt);
}

}  // namespace
}  // namespace hone::sysctl
