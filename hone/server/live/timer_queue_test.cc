// SPDX-License-Identifier: Apache-2.0
#include "hone/server/live/timer_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <mutex>
#include <vector>

#include "hone/testing/fake_clock.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

TEST(TimerQueueTest, RingInOrderAndNotOnceCleared) {
  FakeClock clock;
  std::mutex mutex;
  std::vector<int> rung;
  const auto ring = [&](int number) {
    return [&rung, &mutex, number] {
      const std::lock_guard lock(mutex);
      rung.push_back(number);
    };
  };
  std::latch last(1);
  TimerQueue timers(clock);
  timers.Set(clock.Now() + seconds{2}, ring(2));
  timers.Set(clock.Now() + seconds{1}, ring(1));
  const auto cleared = timers.Set(clock.Now() + seconds{3}, ring(3));
  timers.Clear(cleared);
  timers.Set(clock.Now() + seconds{4}, [&last] { last.count_down(); });
  clock.AwaitWaiters(1);
  clock.Advance(seconds{10});
  WaitUntil([&] { return last.try_wait(); }, "the last one rings");
  EXPECT_THAT(rung, ElementsAre(1, 2));
}

}  // namespace
}  // namespace hone::server
