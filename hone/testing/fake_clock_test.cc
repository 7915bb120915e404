// SPDX-License-Identifier: Apache-2.0
#include "hone/testing/fake_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "hone/core/check.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using std::chrono::seconds;

TEST(FakeClockTest, StandsStillUntilItIsMoved) {
  FakeClock clock;
  const auto now = clock.Now();
  const auto wall = clock.Wall();
  EXPECT_EQ(clock.Now(), now);
  clock.Advance(seconds{3});
  EXPECT_EQ(clock.Now(), now + seconds{3});
  EXPECT_EQ(clock.Wall(), wall + seconds{3});
}

TEST(FakeClockTest, ATimeThatHasComeIsNotWaitedFor) {
  FakeClock clock;
  std::mutex mutex;
  std::condition_variable changed;
  std::unique_lock lock(mutex);
  clock.WaitUntil(changed, lock, clock.Now());
  EXPECT_TRUE(lock.owns_lock());
}

TEST(FakeClockTest, ANotificationEndsTheWaitWithoutMovingTheClock) {
  FakeClock clock;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_ready = false;
  std::jthread waiter([&] {
    std::unique_lock lock(mutex);
    while (!is_ready) clock.WaitUntil(changed, lock, Clock::Monotonic::max());
  });
  clock.AwaitWaiters(1);
  const std::scoped_lock lock(mutex);
  is_ready = true;
  changed.notify_all();
}

TEST(FakeClockTest, MovingItWakesEveryWaiter) {
  FakeClock clock;
  const auto until = clock.Now() + seconds{10};
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<int> awake{0};
  std::vector<std::jthread> waiters;
  waiters.reserve(4);
  for (int i = 0; i < 4; ++i) {
    waiters.emplace_back([&] {
      std::unique_lock lock(mutex);
      while (clock.Now() < until) clock.WaitUntil(changed, lock, until);
      ++awake;
    });
  }
  clock.AwaitWaiters(4);
  clock.Advance(seconds{9});
  EXPECT_EQ(awake, 0);
  clock.Advance(seconds{1});
  waiters.clear();
  EXPECT_EQ(awake, 4);
}

TEST(FakeClockTest, TellsWhenTimeAloneWakesTheNextWaiter) {
  FakeClock clock;
  EXPECT_EQ(clock.NextWake(), Clock::Monotonic::max());
  const auto now = clock.Now();
  std::vector<std::jthread> waiters;
  for (const auto until : {now + seconds{9}, now + seconds{3}}) {
    waiters.emplace_back([&clock, until] {
      std::mutex mutex;
      std::condition_variable changed;
      std::unique_lock lock(mutex);
      while (clock.Now() < until) clock.WaitUntil(changed, lock, until);
    });
  }
  clock.AwaitWaiters(2);
  EXPECT_EQ(clock.NextWake(), now + seconds{3});
  clock.Advance(seconds{9});
}

// Each waiter waits for the very next tick on a condition variable that dies with the wait. A
// wake-up that is lost ends the clock's moves in vain; a late one touches freed memory.
TEST(FakeClockTest, NoWakeUpIsLostInARace) {
  FakeClock clock;
  constexpr int kWaits = 2000;
  std::atomic<int> done{0};
  std::vector<std::jthread> waiters;
  waiters.reserve(3);
  for (int i = 0; i < 3; ++i) {
    waiters.emplace_back([&] {
      for (int k = 0; k < kWaits; ++k) {
        auto mutex = std::make_unique<std::mutex>();
        auto changed = std::make_unique<std::condition_variable>();
        std::unique_lock lock(*mutex);
        const auto until = clock.Now() + seconds{1};
        while (clock.Now() < until) clock.WaitUntil(*changed, lock, until);
        lock.unlock();
      }
      ++done;
    });
  }
  int moves = 0;
  const auto end = std::chrono::steady_clock::now() + kTestTimeout;
  while (done < 3) {
    HONE_CHECK(std::chrono::steady_clock::now() < end);  // The waiters could not be joined.
    clock.Advance(seconds{1});
    ++moves;
    std::this_thread::yield();
  }
  EXPECT_GE(moves, kWaits);
}

}  // namespace
}  // namespace hone
