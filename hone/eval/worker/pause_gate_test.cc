// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/pause_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

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

TEST(PauseGateTest, WhoWaitsIsWokenWhenItOpens) {
  PauseGate gate(SystemClock());
  gate.Close();
  std::atomic<bool> is_through = false;
  std::thread worker([&] {
    const auto turn = gate.Enter({});
    is_through = turn && turn->waited().count() > 0;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds{20});
  EXPECT_FALSE(is_through);
  EXPECT_TRUE(gate.IsQuiet());
  gate.Open();
  worker.join();
  EXPECT_TRUE(is_through);
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
