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

#include "hone/testing/fake_clock.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

// Time stands still unless it is moved, and who is woken goes on in the thread of the test.
class AsyncConditionTest : public testing::Test {
 protected:
  // Waits for the key, and writes down with what it was woken.
  void Wait(const std::string& key, const std::string& name) {
    waiters_.push_back(condition_.Register(key));
    Start(waiters_.back()->Wait(clock_.Now() + 1h, gone_.get_token()),
          [this, name](std::optional<WakeReason> woken, const std::exception_ptr&) {
            woken_.push_back(name + ": " + TextOf(*woken));
          });
  }

  static std::string TextOf(WakeReason woken) {
    switch (woken) {
      case WakeReason::kCall:
        return "called";
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
  AsyncCondition condition_{timers_, [](const std::function<void()>& work) { work(); }};
  std::stop_source gone_;
  std::vector<std::string> woken_;
  std::vector<std::unique_ptr<AsyncCondition::Waiter>> waiters_;
};

TEST_F(AsyncConditionTest, ACallWakesAllWhoWaitForItsKeyAndNobodyElse) {
  Wait("a", "first");
  Wait("a", "second");
  Wait("b", "other");
  EXPECT_EQ(condition_.size(), 3U);
  condition_.Call("a");
  EXPECT_THAT(woken_, ElementsAre("first: called", "second: called"));
  condition_.Call("b");
  EXPECT_EQ(woken_.back(), "other: called");
  waiters_.clear();
  EXPECT_EQ(condition_.size(), 0U);
}

TEST_F(AsyncConditionTest, WhatIsCalledBetweenTheLookAndTheWaitIsNotMissed) {
  const auto waiter = condition_.Register("a");
  condition_.Call("a");
  std::optional<WakeReason> woken;
  Start(waiter->Wait(clock_.Now() + 1h, gone_.get_token()),
        [&](std::optional<WakeReason> reason, const std::exception_ptr&) { woken = reason; });
  ASSERT_TRUE(woken);
  EXPECT_EQ(TextOf(*woken), "called");
}

TEST_F(AsyncConditionTest, AWaiterIsWokenOnce) {
  Wait("", "only");
  condition_.Call("");
  condition_.Call("");
  condition_.Close();
  gone_.request_stop();
  EXPECT_THAT(woken_, ElementsAre("only: called"));
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
        [&](std::optional<WakeReason> woken, const std::exception_ptr&) {
          text = TextOf(*woken);
          done.count_down();
        });
  clock_.Advance(1h);
  WaitUntil([&] { return done.try_wait(); }, "the timeout woke it");
  EXPECT_EQ(text, "timeout");
}

}  // namespace
}  // namespace hone::server
