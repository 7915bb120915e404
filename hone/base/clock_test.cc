// SPDX-License-Identifier: Apache-2.0
#include "hone/base/clock.h"

#include <gtest/gtest.h>

#include <thread>

#include "hone/testing/fake_clock.h"

namespace hone {
namespace {

using std::chrono::seconds;

TEST(SystemClockTest, MonotonicTimeNeverGoesBack) {
  const auto first = SystemClock().Now();
  EXPECT_LE(first, SystemClock().Now());
}

TEST(SystemClockTest, WaitEndsWhenTheTimeComes) {
  std::mutex mutex;
  std::condition_variable changed;
  std::unique_lock lock(mutex);
  const auto until = SystemClock().Now() + std::chrono::milliseconds{5};
  while (SystemClock().Now() < until) SystemClock().WaitUntil(changed, lock, until);
  EXPECT_TRUE(lock.owns_lock());
}

TEST(SleepUntilStopTest, EndsWhenTheTimeHasPassed) {
  FakeClock clock;
  std::thread mover([&] {
    clock.AwaitWaiters(1);
    clock.Advance(seconds{3});
  });
  EXPECT_FALSE(SleepUntilStop(clock, seconds{3}, std::stop_token()));
  mover.join();
}

TEST(SleepUntilStopTest, EndsWhenAStopIsRequested) {
  FakeClock clock;
  std::stop_source stop;
  std::thread stopper([&] {
    clock.AwaitWaiters(1);
    stop.request_stop();
  });
  EXPECT_TRUE(SleepUntilStop(clock, seconds{3}, stop.get_token()));
  stopper.join();
  EXPECT_TRUE(SleepUntilStop(clock, seconds{3}, stop.get_token())) << "requested before";
  AwaitStop(stop.get_token());
}

}  // namespace
}  // namespace hone
