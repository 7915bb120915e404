// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/pulse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>

#include "hone/base/clock.h"
#include "hone/eval/queue/forwarding_queue.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

using ::testing::HasSubstr;

// Answers nobody until it is let go.
class HangingQueue final : public ForwardingQueue {
 public:
  using ForwardingQueue::ForwardingQueue;

  Result<QueueCounts> Count() override {
    if (hangs) WaitUntil([this] { return gone_on_.try_wait(); }, "the queue goes on");
    return ForwardingQueue::Count();
  }
  void GoOn() { gone_on_.count_down(); }

  std::atomic<bool> hangs = false;

 private:
  std::latch gone_on_{1};
};

class PulseTest : public ::testing::Test {
 protected:
  std::unique_ptr<TaskQueue> inner_ = MakeMemoryQueue(SystemClock());
  HangingQueue queue_{*inner_};
  Pulse pulse_{queue_, std::chrono::milliseconds{300}};
};

TEST_F(PulseTest, WhatHappenedBeforeTheQuestionIsInTheAnswer) {
  ASSERT_TRUE(pulse_.Feel());
  WorkerCard card;
  card.name = "w";
  ASSERT_TRUE(inner_->Announce(card, std::chrono::minutes{1}));
  const auto beat = pulse_.Feel();
  ASSERT_TRUE(beat) << beat.error().message;
  ASSERT_EQ(beat->workers.size(), 1U);
}

TEST_F(PulseTest, AQueueThatHangsHoldsUpNobodyAndIsSaidToHang) {
  ASSERT_TRUE(pulse_.Feel());
  queue_.hangs = true;
  EXPECT_TRUE(pulse_.Feel());  // What was known a moment ago.
  Result<Pulse::Beat> beat = pulse_.Feel();
  WaitUntil(
      [&] {
        beat = pulse_.Feel();
        return !beat;
      },
      "what was known is too old");
  EXPECT_EQ(beat.error().code, Errc::kUnavailable);
  EXPECT_THAT(beat.error().message, HasSubstr("has not answered for"));
  queue_.hangs = false;
  queue_.GoOn();
  WaitUntil([&] { return pulse_.Feel().has_value(); }, "the thread has noticed");
}

}  // namespace
}  // namespace hone::server
