// SPDX-License-Identifier: Apache-2.0
#include "hone/server/live/async_condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using Condition = AsyncCondition<int>;

// Time stands still unless it is moved, and who is woken goes on in the thread of the test.
class AsyncConditionTest : public testing::Test {
 protected:
  // Waits for the key, and writes down with what it was woken.
  void Wait(const std::string& key, const std::string& name) {
    waiters_.push_back(condition_.Register(key));
    Start(waiters_.back()->Wait(clock_.Now() + 1h, gone_.get_token()),
          [this, name](std::optional<WakeEvent<int>> woken, const std::exception_ptr&) {
            woken_.push_back(name + ": " + TextOf(*woken));
          });
  }

  static std::string TextOf(const WakeEvent<int>& woken) {
    switch (woken.reason) {
      case WakeReason::kCall:
        return "called with " + std::to_string(woken.event);
      case WakeReason::kTimeout:
        return "timeout";
      case WakeReason::kGone:
        return "gone";
      case WakeReason::kClosing:
        return "closing";
    }
    return "";
  }

  FakeClock clock_;
  TimerQueue timers_{clock_};
  Condition condition_{timers_, [](const std::function<void()>& work) { work(); }};
  std::stop_source gone_;
  std::vector<std::string> woken_;
  std::vector<std::unique_ptr<Condition::Waiter>> waiters_;
};

TEST_F(AsyncConditionTest, ACallWakesAllWhoWaitForItsKeyAndNobodyElse) {
  Wait("a", "first");
  Wait("a", "second");
  Wait("b", "other");
  EXPECT_EQ(condition_.size(), 3U);
  condition_.Call("a", 7);
  EXPECT_THAT(woken_, ElementsAre("first: called with 7", "second: called with 7"));
  condition_.Call("b", 8);
  EXPECT_EQ(woken_.back(), "other: called with 8");
  waiters_.clear();
  EXPECT_EQ(condition_.size(), 0U);
}

TEST_F(AsyncConditionTest, WhatIsCalledBetweenTheLookAndTheWaitIsNotMissed) {
  const auto waiter = condition_.Register("a");
  condition_.Call("a", 7);
  std::optional<WakeEvent<int>> woken;
  Start(waiter->Wait(clock_.Now() + 1h, gone_.get_token()),
        [&](std::optional<WakeEvent<int>> event, const std::exception_ptr&) { woken = event; });
  ASSERT_TRUE(woken);
  EXPECT_EQ(TextOf(*woken), "called with 7");
}

TEST_F(AsyncConditionTest, AWaiterIsWokenOnce) {
  Wait("", "only");
  condition_.Call("", 1);
  condition_.Call("", 2);
  condition_.Close();
  gone_.request_stop();
  EXPECT_THAT(woken_, ElementsAre("only: called with 1"));
}

TEST_F(AsyncConditionTest, AClientThatLeavesEndsItsWait) {
  Wait("a", "only");
  EXPECT_THAT(woken_, IsEmpty());
  gone_.request_stop();
  EXPECT_THAT(woken_, ElementsAre("only: gone"));
}

TEST_F(AsyncConditionTest, ClosingWakesThoseWhoWaitAndThoseWhoComeLater) {
  Wait("a", "first");
  condition_.Close();
  Wait("b", "second");
  EXPECT_THAT(woken_, ElementsAre("first: closing", "second: closing"));
}

TEST_F(AsyncConditionTest, ATimeoutWakes) {
  const auto waiter = condition_.Register("a");
  std::latch done(1);
  std::string text;
  Start(waiter->Wait(clock_.Now() + 1h, gone_.get_token()),
        [&](std::optional<WakeEvent<int>> woken, const std::exception_ptr&) {
          text = TextOf(*woken);
          done.count_down();
        });
  clock_.Advance(1h);
  WaitUntil([&] { return done.try_wait(); }, "the timeout woke it");
  EXPECT_EQ(text, "timeout");
}

}  // namespace
}  // namespace hone::server
