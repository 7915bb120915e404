// SPDX-License-Identifier: Apache-2.0
// Programs that try to use up the machine, or to stay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>

#include "hone/sandbox/sandbox_for_test.h"

namespace hone {
namespace {

using End = SandboxResult::End;
using std::chrono::milliseconds;
using testing::AnyOf;
using testing::HasSubstr;

class SandboxBombTest : public LeavesNothingTest {};

bool HasMemoryLimit() { return ProbeProtections().Has(Protection::kMemoryLimit); }

SandboxResult Bomb(const std::string& name, milliseconds wall = milliseconds{500}) {
  SandboxCommand command = Attack(name);
  command.limits.wall = wall;
  const auto started = std::chrono::steady_clock::now();
  SandboxResult result = ResultOf(command);
  EXPECT_LT(std::chrono::steady_clock::now() - started, 20 * wall + std::chrono::seconds{20});
  return result;
}

int NumberIn(const std::string& text) {
  int number = -1;
  return std::sscanf(text.c_str(), "%*[^0-9]%d", &number) == 1 ||
                 std::sscanf(text.c_str(), "%d", &number) == 1
             ? number
             : -1;
}

TEST_F(SandboxBombTest, ADoubleForkIsEndedWhenTheProgramExits) {
  const SandboxResult result = Bomb("double-fork", milliseconds{30'000});
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.output, "left\n");
  EXPECT_EQ(result.stragglers, 1);
}

TEST_F(SandboxBombTest, AForkBombIsContained) {
  const SandboxResult result = Bomb("fork-bomb");
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_GE(result.stragglers, 60);
  EXPECT_LE(result.stragglers, 64);
  if (ProbeProtections().Has(Protection::kProcessLimit)) {
    EXPECT_TRUE(result.is_processes_exceeded);
  }
}

TEST_F(SandboxBombTest, AProgramThatKeepsForkingAwayIsCaught) {
  EXPECT_EQ(Bomb("comet").end, End::kExited);
}

TEST_F(SandboxBombTest, AZombieFarmIsContained) {
  const SandboxResult result = Bomb("zombies");
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_EQ(result.output, "refused after 63\n");
}

TEST_F(SandboxBombTest, ThousandsOfThreadsAreRefused) {
  const SandboxResult result = Bomb("threads");
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_EQ(result.output, "refused after 63\n");
}

TEST_F(SandboxBombTest, AMemoryBombIsEnded) {
  for (const char* bomb : {"memory", "shared-memory"}) {
    const SandboxResult result = Bomb(bomb, milliseconds{30'000});
    if (HasMemoryLimit()) {
      EXPECT_EQ(result.end, End::kSignalled) << bomb;
      EXPECT_EQ(result.status, SIGKILL);
      EXPECT_TRUE(result.is_memory_exceeded);
    } else {
      EXPECT_EQ(result.status, 3) << bomb;
      EXPECT_LE(NumberIn(result.output), 4 * 256);
    }
  }
}

TEST_F(SandboxBombTest, ASwarmOfSmallProcessesCountsTogether) {
  if (!HasMemoryLimit()) GTEST_SKIP() << "needs control groups for memory";
  const SandboxResult result = Bomb("swarm", milliseconds{2000});
  EXPECT_TRUE(result.is_memory_exceeded);
}

TEST_F(SandboxBombTest, FilesInMemoryCount) {
  const SandboxResult result = Bomb("memfd", milliseconds{30'000});
  if (HasMemoryLimit()) {
    EXPECT_EQ(result.status, SIGKILL);
    EXPECT_TRUE(result.is_memory_exceeded);
  } else {
    EXPECT_EQ(result.output, "refused after 0 MiB\n");
  }
}

TEST_F(SandboxBombTest, BuffersOfPipesAndSocketsAreLimited) {
  for (const char* bomb : {"pipes", "sockets"}) {
    const SandboxResult result = Bomb(bomb, milliseconds{30'000});
    EXPECT_TRUE(result.is_memory_exceeded || NumberIn(result.output) <= 300)
        << bomb << ": " << result.output;
  }
}

TEST_F(SandboxBombTest, ADiskBombFillsItsScratchOnly) {
  const SandboxResult result = Bomb("disk", milliseconds{30'000});
  EXPECT_EQ(result.status, 0);
  EXPECT_GE(NumberIn(result.output), 14);
  EXPECT_LE(NumberIn(result.output), 16);
  EXPECT_TRUE(result.is_scratch_full);
}

TEST_F(SandboxBombTest, FilesAreCountedToo) {
  const SandboxResult result = Bomb("inodes", milliseconds{30'000});
  EXPECT_EQ(result.status, 0);
  EXPECT_GT(NumberIn(result.output), 1000);
  EXPECT_LT(NumberIn(result.output), 10'000);
}

TEST_F(SandboxBombTest, WatchesAreRefusedAtSomePoint) {
  const SandboxResult result = Bomb("watches");
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_LT(NumberIn(result.output), 1000);
}

TEST_F(SandboxBombTest, AnEndlessLoopIsEnded) { EXPECT_EQ(Bomb("loop").end, End::kTimedOut); }

TEST_F(SandboxBombTest, IgnoredSignalsSaveNobody) {
  const SandboxResult result = Bomb("ignore-term");
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_EQ(result.status, SIGKILL);
  EXPECT_EQ(result.output, "deaf\n");
}

TEST_F(SandboxBombTest, AProgramThatStopsEverythingIsEnded) {
  EXPECT_EQ(Bomb("stop").end, End::kTimedOut);
}

TEST_F(SandboxBombTest, AProgramThatClosesItsStreamsAndGoesOnIsEnded) {
  const SandboxResult result = Bomb("silent");
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_EQ(result.output, "closing\n");
}

TEST_F(SandboxBombTest, AFloodIsReadAway) {
  SandboxCommand command = Attack("flood");
  command.max_output = 1000;
  const SandboxResult result = ResultOf(command);
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.errors, std::string(1000, 'e'));
  EXPECT_TRUE(result.is_errors_cut);
}

TEST_F(SandboxBombTest, ACrashIsNoticedAtOnce) {
  const SandboxResult result = Bomb("crash", milliseconds{3'600'000});
  EXPECT_EQ(result.end, End::kSignalled);
  EXPECT_EQ(result.status, SIGSEGV);
}

TEST_F(SandboxBombTest, TheCpuLimitHolds) {
  if (!ProbeProtections().Has(Protection::kCpuLimit))
    GTEST_SKIP() << "needs control groups for cpu";
  SandboxCommand command = Attack("loop");
  command.limits.wall = milliseconds{1000};
  command.limits.cpus = 0.1;
  const SandboxResult result = ResultOf(command);
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_LT(result.user + result.system, milliseconds{500});
}

}  // namespace
}  // namespace hone
