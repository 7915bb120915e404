// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/suspicion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <future>

#include "hone/base/file.h"
#include "hone/base/process/running_process.h"
#include "hone/domains/sysctl/workload/fork_watch.h"
#include "hone/testing/wait_until.h"

namespace hone::sysctl {
namespace {

using By = Opening::By;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr const char* kWatched = "/proc/sys/vm/swappiness";
constexpr const char* kAlsoWatched = "/sys/kernel/mm/transparent_hugepage/enabled";

// What is seen while a shell runs the text.
std::vector<Opening> OpeningsOf(const std::string& text,
                                std::vector<std::string> paths = {kWatched}) {
  const auto watch = OpenWatch::Start(paths);
  EXPECT_THAT(watch->blind(), IsEmpty());
  Command command;
  command.arguments = {"sh", "-c", text};
  const auto process = RunningProcess::Start(command);
  EXPECT_TRUE(process.has_value());
  watch->Follow((*process)->supervisor());
  EXPECT_EQ((*process)->Wait()->status, 0);
  return watch->Stop();
}

TEST(SuspicionTest, ABenchmarkThatReadsAParameterIsSeen) {
  if (!CanTraceOpenings()) GTEST_SKIP() << "needs root: fanotify";
  auto openings = OpeningsOf("read v < /proc/sys/vm/swappiness; read w < " + std::string(kWatched) +
                             "; sleep 0.1");
  // Somebody else on this machine may read it at the same time.
  std::erase_if(openings, [](const Opening& opening) { return opening.by != By::kBenchmark; });
  ASSERT_EQ(openings.size(), 1u);
  EXPECT_EQ(openings[0].path, kWatched);
  EXPECT_EQ(openings[0].by, By::kBenchmark);
  EXPECT_EQ(openings[0].program, "sh");
  EXPECT_GE(openings[0].times, 1);
  EXPECT_THAT(MarksOf(openings), ElementsAre("suspicious: the benchmark opened vm.swappiness"));
}

TEST(SuspicionTest, SoIsOneThatLeavesItToAShortLivedProcess) {
  if (!CanTraceOpenings()) GTEST_SKIP() << "needs root: fanotify";
  const auto openings = OpeningsOf("cat /proc/sys/vm/swappiness; cd /proc/sys; cat vm/swappiness");
  EXPECT_FALSE(openings.empty());
  if (ForkWatch::Start()) {
    EXPECT_THAT(openings, Each(Field(&Opening::by, By::kBenchmark)));
  } else {
    EXPECT_THAT(openings, Each(Field(&Opening::by, testing::AnyOf(By::kBenchmark, By::kEnded))));
  }
}

TEST(SuspicionTest, FilesOfSysfsAreSeenToo) {
  if (::access(kAlsoWatched, R_OK) != 0) GTEST_SKIP() << "this kernel has no huge pages";
  const auto openings =
      OpeningsOf("read v < " + std::string(kAlsoWatched) + "; sleep 0.1", {kWatched, kAlsoWatched});
  EXPECT_THAT(openings, testing::Contains(Field(&Opening::path, kAlsoWatched)));
}

TEST(SuspicionTest, AnHonestBenchmarkIsNot) {
  if (!CanTraceOpenings()) GTEST_SKIP() << "needs root: fanotify";
  EXPECT_THAT(OpeningsOf("cat /proc/sys/vm/page-cluster /proc/stat > /dev/null"), IsEmpty());
}

TEST(SuspicionTest, WhatOthersReadIsTheirs) {
  if (!CanTraceOpenings()) GTEST_SKIP() << "needs root: fanotify";
  const auto watch = OpenWatch::Start({kWatched});
  Command command;
  command.arguments = {"sleep", "1000"};
  const auto benchmark = RunningProcess::Start(command);
  ASSERT_TRUE(benchmark.has_value());
  watch->Follow((*benchmark)->supervisor());
  ASSERT_TRUE(ReadFile(kWatched).has_value());  // We ourselves.
  command.arguments = {"sh", "-c", "read v < /proc/sys/vm/swappiness; sleep 0.2"};
  ASSERT_TRUE(RunProcess(command).has_value());
  EXPECT_THAT(watch->Stop(), IsEmpty());
}

TEST(SuspicionTest, WhatOthersReadIsTheirsAlsoWhenTheyHaveEnded) {
  if (!CanTraceOpenings()) GTEST_SKIP() << "needs root: fanotify";
  if (!ForkWatch::Start()) GTEST_SKIP() << "a container: the kernel does not tell who forked";
  Command outsider;
  outsider.arguments = {"sh", "-c",
                        "for i in 1 2 3 4 5 6 7 8 9; do cat /proc/sys/vm/swappiness; done"};
  const auto watch = OpenWatch::Start({kWatched});
  ASSERT_TRUE(RunProcess(outsider).has_value());  // Before the benchmark is known.
  Command command;
  command.arguments = {"sleep", "1000"};
  const auto benchmark = RunningProcess::Start(command);
  ASSERT_TRUE(benchmark.has_value());
  watch->Follow((*benchmark)->supervisor());
  ASSERT_TRUE(RunProcess(outsider).has_value());
  EXPECT_THAT(watch->Stop(), IsEmpty());
}

TEST(SuspicionTest, AServiceThatIsOlderThanTheWatchIsKnownByItsTree) {
  if (!CanTraceOpenings()) GTEST_SKIP() << "needs root: fanotify";
  if (!ForkWatch::Start()) GTEST_SKIP() << "a container: the kernel does not tell who forked";
  Command command;
  command.arguments = {"sh", "-c", "while :; do cat /proc/sys/vm/swappiness; sleep 0.01; done"};
  const auto service = RunningProcess::Start(command);
  const auto outsider = RunningProcess::Start(command);
  ASSERT_TRUE(service.has_value() && outsider.has_value());
  const auto watch = OpenWatch::Start({kWatched});
  watch->FollowService((*service)->supervisor());
  command.arguments = {"sleep", "0.3"};
  const auto benchmark = RunningProcess::Start(command);
  ASSERT_TRUE(benchmark.has_value());
  watch->Follow((*benchmark)->supervisor());
  (*benchmark)->Wait();
  (*outsider)->End();
  (*outsider)->Wait();
  EXPECT_THAT(watch->Stop(), ElementsAre(Field(&Opening::by, By::kService)));
}

TEST(SuspicionTest, AParameterOfAnotherNetworkNamespaceIsSeenThere) {
  if (!CanTraceOpenings()) GTEST_SKIP() << "needs root: fanotify";
  constexpr const char* kNetwork = "/proc/sys/net/ipv4/tcp_rmem";
  Command command;
  command.arguments = {"unshare", "-n", "sh", "-c", "echo $$; exec sleep 1000"};
  std::promise<std::string> line;
  const auto holder = RunningProcess::Start(
      command, [&](std::string_view text) { line.set_value(std::string(text)); });
  ASSERT_TRUE(holder.has_value());
  auto told = line.get_future();
  WaitUntil([&] { return told.wait_for(std::chrono::seconds{0}) == std::future_status::ready; },
            "the holder says who it is");
  const std::string pid = told.get();
  const auto watch = OpenWatch::Start({kNetwork}, "/proc/" + pid + "/ns/net");
  ASSERT_THAT(watch->blind(), IsEmpty());
  command.arguments = {"nsenter", "-t", pid,  "-n",
                       "--",      "sh", "-c", "read v < " + std::string(kNetwork) + "; sleep 0.1"};
  const auto process = RunningProcess::Start(command);
  ASSERT_TRUE(process.has_value());
  watch->Follow((*process)->supervisor());
  (*process)->Wait();
  EXPECT_THAT(watch->Stop(), ElementsAre(AllOf(Field(&Opening::path, kNetwork),
                                               Field(&Opening::by, By::kBenchmark))));
}

TEST(SuspicionTest, WhatCannotBeWatchedIsSaid) {
  const auto watch = OpenWatch::Start({"/proc/sys/vm/no-such-parameter"}, "");
  EXPECT_THAT(watch->blind(), ElementsAre("/proc/sys/vm/no-such-parameter: cannot be watched: No "
                                          "such file or directory"));
  const auto elsewhere = OpenWatch::Start({kWatched}, "/proc/self/ns/no-such-namespace");
  EXPECT_THAT(elsewhere->blind(), ElementsAre(testing::HasSubstr("cannot be entered")));
  EXPECT_THAT(elsewhere->Stop(), IsEmpty());
}

TEST(SuspicionTest, TheMarkSaysHowSureWeAre) {
  EXPECT_THAT(MarksOf({{kWatched, By::kEnded, "", 1}, {kAlsoWatched, By::kUnknown, "", 2}}),
              ElementsAre("suspicious: vm.swappiness was opened during the run by a process that "
                          "has ended",
                          "suspicious: /sys/kernel/mm/transparent_hugepage/enabled was opened "
                          "during the run (by whom is seen only with root)"));
}

}  // namespace
}  // namespace hone::sysctl
