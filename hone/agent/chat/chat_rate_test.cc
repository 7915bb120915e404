// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/chat_rate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "hone/testing/fake_clock.h"
#include "hone/testing/wait_until.h"

namespace hone::agent {
namespace {

using namespace std::chrono_literals;

TEST(ChatRateTest, TheNextRequestWaitsUntilTheFirstIsAMinuteAgo) {
  FakeClock clock;
  ChatRate rate(2, std::nullopt, clock);
  const auto end = clock.Now() + 1h;
  ASSERT_TRUE(rate.Take(1, end, {}));
  clock.Advance(10s);
  ASSERT_TRUE(rate.Take(1, end, {}));
  std::atomic<bool> is_through = false;
  std::jthread third([&] { is_through = rate.Take(1, end, {}).has_value(); });
  clock.AwaitWaiters(1);
  clock.Advance(49s);
  clock.AwaitWaiters(1);
  EXPECT_FALSE(is_through);
  clock.Advance(1s);
  WaitUntil([&] { return is_through.load(); }, "the third request");
}

TEST(ChatRateTest, TokensCountAsTheyWereInTheEnd) {
  FakeClock clock;
  ChatRate rate(std::nullopt, 1000, clock);
  const auto first = rate.Take(900, clock.Now() + 1s, {});
  ASSERT_TRUE(first);
  EXPECT_EQ(rate.Take(200, clock.Now() + 1s, {}).error().code, Errc::kUnavailable);
  rate.Correct(*first, 100);
  EXPECT_TRUE(rate.Take(900, clock.Now() + 1s, {}));
}

TEST(ChatRateTest, ARequestLargerThanAMinuteGetsAMinuteOfItsOwn) {
  FakeClock clock;
  ChatRate rate(std::nullopt, 1000, clock);
  EXPECT_TRUE(rate.Take(5000, clock.Now() + 1s, {}));
  EXPECT_FALSE(rate.Take(1, clock.Now() + 1s, {}));
}

TEST(ChatRateTest, AStopEndsTheWaiting) {
  FakeClock clock;
  ChatRate rate(1, std::nullopt, clock);
  ASSERT_TRUE(rate.Take(1, clock.Now() + 1h, {}));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(rate.Take(1, clock.Now() + 1h, stop.get_token()));
}

}  // namespace
}  // namespace hone::agent
