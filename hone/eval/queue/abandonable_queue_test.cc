// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/queue/abandonable_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "hone/base/clock.h"
#include "hone/eval/queue/memory_queue.h"

namespace hone {
namespace {

constexpr std::chrono::hours kLong{1};

Task SomeTask() {
  Task task;
  task.id = "t";
  task.domain = "toy";
  task.order = {Arm::kCandidate};
  return task;
}

TEST(AbandonableQueueTest, AWaitingClientGivesUpWithTheFirstReason) {
  const auto below = MakeMemoryQueue(SystemClock());
  AbandonableQueue queue(*below);
  ASSERT_TRUE(queue.Push(SomeTask()));
  std::jthread other([&] {
    queue.Abandon({Errc::kUnavailable, "the disk is full"});
    queue.Abandon({Errc::kUnavailable, "interrupted"});
  });
  const auto settled = queue.Await("t", kLong, {});
  ASSERT_FALSE(settled);
  EXPECT_EQ(settled.error().message, "the disk is full");
  EXPECT_EQ(queue.Push(SomeTask()).error().message, "the disk is full");
}

TEST(AbandonableQueueTest, TheTaskStaysForALaterLife) {
  const auto below = MakeMemoryQueue(SystemClock());
  AbandonableQueue queue(*below);
  ASSERT_TRUE(queue.Push(SomeTask()));
  queue.Abandon({Errc::kUnavailable, "interrupted"});
  ASSERT_FALSE(queue.Await("t", kLong, {}));
  const auto claim = below->Take({}, kLong, TaskQueue::Duration::zero());
  ASSERT_TRUE(claim && *claim);
  EXPECT_EQ((*claim)->task.id, "t");
}

TEST(AbandonableQueueTest, TheClientsOwnStopIsHeard) {
  const auto below = MakeMemoryQueue(SystemClock());
  AbandonableQueue queue(*below);
  ASSERT_TRUE(queue.Push(SomeTask()));
  std::stop_source stop;
  stop.request_stop();
  const auto settled = queue.Await("t", kLong, stop.get_token());
  ASSERT_TRUE(settled) << settled.error().message;
  EXPECT_FALSE(*settled);
}

}  // namespace
}  // namespace hone
