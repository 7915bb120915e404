// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/run_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using testing::ElementsAre;

void AwaitLine(const RunSlots& slots, std::size_t length) {
  WaitUntil([&] { return slots.waiting() >= length; }, "so many wait for a slot");
}

TEST(RunSlotsTest, EachSlotIsHeldByOneAtATime) {
  RunSlots slots({{{0}}, {{1, 2}}});
  auto first = slots.Acquire({});
  auto second = slots.Acquire({});
  ASSERT_TRUE(first && second);
  EXPECT_THAT(first->slot().cpus, ElementsAre(0));
  EXPECT_THAT(second->slot().cpus, ElementsAre(1, 2));
  auto third = std::async(std::launch::async, [&] { return slots.Acquire({})->slot().cpus; });
  AwaitLine(slots, 1);
  second.reset();
  EXPECT_THAT(third.get(), ElementsAre(1, 2));
}

TEST(RunSlotsTest, WhoCameFirstIsServedFirst) {
  RunSlots slots(std::vector{RunSlot{{0}}});
  auto held = slots.Acquire({});
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&, i] {
      const auto hold = slots.Acquire({});
      const std::lock_guard lock(mutex);
      order.push_back(i);
    });
    AwaitLine(slots, static_cast<std::size_t>(i) + 1);
  }
  held.reset();
  threads.clear();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4));
}

TEST(RunSlotsTest, WhoIsToldToStopLeavesTheLineAndLosesNoSlot) {
  RunSlots slots(std::vector{RunSlot{{0}}});
  auto held = slots.Acquire({});
  std::stop_source stop;
  auto stopped =
      std::async(std::launch::async, [&] { return slots.Acquire(stop.get_token()).has_value(); });
  AwaitLine(slots, 1);
  stop.request_stop();
  EXPECT_FALSE(stopped.get());
  EXPECT_EQ(slots.waiting(), 0);
  held.reset();
  EXPECT_TRUE(slots.Acquire({}));
  EXPECT_FALSE(slots.Acquire(stop.get_token())) << "it was told before";
  EXPECT_TRUE(slots.Acquire({}));
}

TEST(RunSlotsTest, ManyThreadsAreNeverMoreThanSlots) {
  RunSlots slots({{{0}}, {{1}}});
  std::atomic<int> inside = 0;
  std::atomic<int> max = 0;
  std::atomic<int> stopped = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 200; ++k) {
          std::stop_source stop;
          if (k % 5 == 0) stop.request_stop();
          const auto hold = slots.Acquire(stop.get_token());
          if (!hold) {
            ++stopped;
            continue;
          }
          const int now = ++inside;
          int seen = max;
          while (now > seen && !max.compare_exchange_weak(seen, now)) {
          }
          --inside;
        }
      });
    }
  }
  EXPECT_LE(max, 2);
  EXPECT_EQ(stopped, 8 * 40);
  const auto one = slots.Acquire({});
  const auto two = slots.Acquire({});
  EXPECT_TRUE(one && two) << "none was lost";
}

}  // namespace
}  // namespace hone
