// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch_memory.h"

#include <gtest/gtest.h>

#include <set>

namespace hone::tune {
namespace {

const std::vector<WatchStep> kSteps{{"a up", "", {}}, {"a down", "", {}}, {"b=x", "", {}}};

std::string NextOf(StepMemory& memory, std::int64_t round, std::uint64_t seed = 1) {
  const auto step = memory.Next(kSteps, round, Rng(seed));
  return step ? step->key : "";
}

TEST(StepMemoryTest, EachStepIsTriedOnceInASweepThatAdoptsNothing) {
  StepMemory memory;
  std::set<std::string> tried;
  for (std::int64_t round = 1; round <= 3; ++round) {
    const std::string key = NextOf(memory, round, static_cast<std::uint64_t>(round));
    EXPECT_TRUE(tried.insert(key).second) << key;
    memory.Dropped(key);
  }
  EXPECT_EQ(tried.size(), 3U);
  EXPECT_EQ(NextOf(memory, 4), "");
  memory.Wake();
  EXPECT_NE(NextOf(memory, 5), "");
}

TEST(StepMemoryTest, AnAdoptedStepGoesOnTheSameWayAndNotBack) {
  StepMemory memory;
  memory.Adopted("a up");
  EXPECT_EQ(NextOf(memory, 1), "a up");
  memory.Dropped("a up");
  EXPECT_EQ(NextOf(memory, 2), "b=x");
  memory.Dropped("b=x");
  // Something was adopted, so everything is tried once more.
  EXPECT_NE(NextOf(memory, 3), "");
}

TEST(StepMemoryTest, HarmBarsAStepForAWhileEvenInANewSweep) {
  StepMemory memory;
  memory.Harmed("b=x", 100);
  memory.Dropped("a up");
  memory.Dropped("a down");
  memory.Wake();
  for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_NE(NextOf(memory, 99, seed), "b=x");
  memory.Dropped("a up");
  memory.Dropped("a down");
  EXPECT_EQ(NextOf(memory, 99), "");
  EXPECT_EQ(NextOf(memory, 100), "b=x");
}

TEST(StepMemoryTest, AShiftHalvesTheTimeThatHarmIsRemembered) {
  StepMemory memory;
  memory.Harmed("b=x", 100);
  memory.Forget(20);
  memory.Dropped("a up");
  memory.Dropped("a down");
  EXPECT_EQ(NextOf(memory, 59), "");
  EXPECT_EQ(NextOf(memory, 60), "b=x");
}

TEST(StepMemoryTest, AStepThatIsLostAgainAndAgainIsDropped) {
  StepMemory memory;
  memory.Dropped("a up");
  memory.Dropped("a down");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(NextOf(memory, i), "b=x");
    memory.Lost("b=x");
  }
  EXPECT_EQ(NextOf(memory, 4), "");
}

}  // namespace
}  // namespace hone::tune
