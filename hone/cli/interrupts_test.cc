// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/interrupts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "hone/testing/wait_until.h"

namespace hone::cli {
namespace {

// A thread that was there before anybody watched, and waits for its end.
class EarlyThread {
 public:
  EarlyThread()
      : thread_([this](const std::stop_token& stop) {
          id_ = ::gettid();
          std::unique_lock lock(mutex_);
          never_.wait(lock, stop, [] { return false; });
        }) {
    WaitUntil([&] { return id_ != 0; }, "the thread has begun");
  }

  void Signal(int signal) const { ::tgkill(::getpid(), id_, signal); }

 private:
  std::atomic<pid_t> id_ = 0;
  std::mutex mutex_;
  std::condition_variable_any never_;
  std::jthread thread_;
};

TEST(InterruptsTest, TheFirstWrapsUpAndTheSecondAbandons) {
  std::atomic<int> told = 0;
  const auto interrupts = Interrupts::Watch([&](int count) { told = count; });
  ASSERT_TRUE(interrupts) << interrupts.error().message;
  ::kill(::getpid(), SIGINT);
  WaitForStop((*interrupts)->wrap_up());
  EXPECT_FALSE((*interrupts)->abandon().stop_requested());
  EXPECT_EQ(told, 1);
  ::kill(::getpid(), SIGTERM);
  WaitForStop((*interrupts)->abandon());
  EXPECT_EQ(told, 2);
}

TEST(InterruptsTest, TheSameSignalTwiceInOneInstantIsOne) {
  using std::chrono_literals::operator""ms;
  const std::chrono::steady_clock::time_point start{std::chrono::hours(1)};
  SignalEcho echo;
  EXPECT_FALSE(echo.IsEcho(SIGINT, start));
  EXPECT_TRUE(echo.IsEcho(SIGINT, start + 1ms));
  EXPECT_FALSE(echo.IsEcho(SIGTERM, start + 2ms)) << "another signal is another request";
  EXPECT_FALSE(echo.IsEcho(SIGTERM, start + 300ms)) << "a person asks again";
}

TEST(InterruptsTest, ASignalThatAnEarlierThreadGetsIsHeardToo) {
  const EarlyThread early;
  const auto interrupts = Interrupts::Watch([](int) {});
  ASSERT_TRUE(interrupts) << interrupts.error().message;
  early.Signal(SIGTERM);
  WaitForStop((*interrupts)->wrap_up());
}

TEST(InterruptsDeathTest, TheThirdEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto interrupts = Interrupts::Watch([](int) {});
        for (int i = 0; i < 3; ++i) {
          ::kill(::getpid(), i == 1 ? SIGINT : SIGTERM);
          if (i == 0) WaitForStop((*interrupts)->wrap_up());
          if (i == 1) WaitForStop((*interrupts)->abandon());
        }
        WaitForStop({});
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(InterruptsTest, WhenItIsGoneSignalsAreAsTheyWere) {
  struct sigaction before {};
  struct sigaction after {};
  ::sigaction(SIGINT, nullptr, &before);
  {
    const auto interrupts = Interrupts::Watch([](int) {});
  }
  ::sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(InterruptsTest, TheNextOneDoesNotHearWhatWasMeantForTheOneBefore) {
  for (int i = 0; i < 2; ++i) {
    const auto interrupts = Interrupts::Watch([](int) {});
    EXPECT_FALSE((*interrupts)->wrap_up().stop_requested());
    ::kill(::getpid(), SIGINT);
    WaitForStop((*interrupts)->wrap_up());
  }
}

TEST(InterruptsTest, ASignalThatWasIgnoredStaysIgnored) {
  ::signal(SIGINT, SIG_IGN);
  {
    const auto interrupts = Interrupts::Watch([](int) {});
    ::kill(::getpid(), SIGINT);
    ::kill(::getpid(), SIGTERM);
    WaitForStop((*interrupts)->wrap_up());
    EXPECT_FALSE((*interrupts)->abandon().stop_requested());
  }
  ::signal(SIGINT, SIG_DFL);
}

}  // namespace
}  // namespace hone::cli
