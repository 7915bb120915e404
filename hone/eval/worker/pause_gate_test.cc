// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/pause_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "hone/testing/fake_clock.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

TEST(PauseGateTest, AnOpenGateLetsEveryoneThrough) {
  PauseGate gate(SystemClock());
  const auto one = gate.Enter({});
  const auto other = gate.Enter({});
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->waited().count(), 0);
  EXPECT_FALSE(gate.IsQuiet());
}

// Stands still unless it is moved, and tells that it was looked at.
class WatchedClock final : public Clock {
 public:
  Monotonic Now() const override {
    const Monotonic now = fake_.Now();
    ++looks_;
    return now;
  }
  WallTime Wall() const override { return fake_.Wall(); }
  void WaitUntil(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                 Monotonic until) override {
    fake_.WaitUntil(changed, lock, until);
  }

  void Advance(Duration step) { fake_.Advance(step); }
  void AwaitFirstLook() const {
    hone::WaitUntil([this] { return looks_ > 0; }, "somebody looks at the clock");
  }

 private:
  FakeClock fake_;
  mutable std::atomic<int> looks_ = 0;
};

TEST(PauseGateTest, WhoWaitsIsWokenWhenItOpens) {
  WatchedClock clock;
  PauseGate gate(clock);
  gate.Close();
  std::optional<PauseGate::Turn> turn;
  std::thread worker([&] { turn.emplace(*gate.Enter({})); });
  clock.AwaitFirstLook();       // At the closed gate.
  EXPECT_TRUE(gate.IsQuiet());  // And waits there: it has let go of the gate's mutex.
  clock.Advance(std::chrono::milliseconds{20});
  gate.Open();
  worker.join();
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->waited(), std::chrono::milliseconds{20});
  EXPECT_FALSE(gate.IsQuiet());
}

TEST(PauseGateTest, AStopWakesWhoWaitsAtAClosedGate) {
  PauseGate gate(SystemClock());
  gate.Close();
  std::stop_source stop;
  std::atomic<bool> was_stopped = false;
  std::thread worker([&] { was_stopped = !gate.Enter(stop.get_token()); });
  stop.request_stop();
  worker.join();
  EXPECT_TRUE(was_stopped);
}

TEST(PauseGateTest, ARunUnderWayEndsBeforeItIsQuietAndThatIsTold) {
  std::atomic<int> told = 0;
  PauseGate gate(SystemClock(), [&] { ++told; });
  {
    const auto turn = gate.Enter({});
    gate.Close();
    EXPECT_EQ(told, 1);
    EXPECT_FALSE(gate.IsQuiet());
  }
  EXPECT_TRUE(gate.IsQuiet());
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace hone
