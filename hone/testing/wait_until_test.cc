// SPDX-License-Identifier: Apache-2.0
#include "hone/testing/wait_until.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace hone {
namespace {

using std::chrono::milliseconds;

TEST(WaitUntilTest, AsksAgainUntilItHolds) {
  int asked = 0;
  WaitUntil([&] { return ++asked == 3; }, "it was asked three times");
  EXPECT_EQ(asked, 3);
}

TEST(WaitUntilTest, GivesUpWithASentence) {
  try {
    WaitUntil([] { return false; }, "pigs fly", milliseconds{5});
    FAIL() << "it did not give up";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "waited in vain for 5 ms until pigs fly");
  }
}

TEST(IsAsleepTest, TellsAThreadThatWaitsFromOneThatWorks) {
  EXPECT_FALSE(IsAsleep(::gettid()));
  std::mutex mutex;
  std::atomic<pid_t> number = 0;
  std::unique_lock lock(mutex);
  std::jthread waits([&] {
    number = ::gettid();
    const std::lock_guard behind(mutex);
  });
  WaitUntil([&] { return number != 0 && IsAsleep(number); }, "it waits for the lock");
  lock.unlock();
}

TEST(WaitForStopTest, ReturnsWhenItIsAskedForAndElseGivesUp) {
  std::stop_source stop;
  EXPECT_THROW(WaitForStop(stop.get_token(), milliseconds{1}), std::runtime_error);
  stop.request_stop();
  WaitForStop(stop.get_token());
}

}  // namespace
}  // namespace hone
