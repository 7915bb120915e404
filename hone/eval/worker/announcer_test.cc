// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/announcer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "hone/eval/queue/forwarding_queue.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/testing/fake_clock.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

// Counts, and can be away.
class WatchedQueue final : public ForwardingQueue {
 public:
  using ForwardingQueue::ForwardingQueue;

  Result<void> Announce(const WorkerCard& card, Duration lease_duration) override {
    ++announced;
    if (is_away) return Error{Errc::kUnavailable, "queue: away"};
    return ForwardingQueue::Announce(card, lease_duration);
  }

  std::atomic<int> announced = 0;
  std::atomic<bool> is_away = false;
};

class AnnouncerTest : public testing::Test {
 protected:
  void AwaitAnnouncements(int count) const {
    WaitUntil([&] { return queue_.announced >= count; }, "the workers were announced so often");
    clock_->AwaitWaiters(1);
  }
  std::size_t Shown() { return queue_.Workers()->size(); }

  std::unique_ptr<FakeClock> clock_ = std::make_unique<FakeClock>();
  std::unique_ptr<TaskQueue> below_ = MakeMemoryQueue(*clock_);
  WatchedQueue queue_{*below_};
  WorkerCard card_{"a", "ada", "1", {}, {}, {}, {}};
};

TEST_F(AnnouncerTest, ShowsAtOnceAndForAsLongAsItLives) {
  const WallTime start = clock_->Wall();
  {
    const Announcer announcer(queue_, *clock_, {card_}, 30s);
    for (int i = 1; i <= 10; ++i) {
      AwaitAnnouncements(i);
      ASSERT_EQ(Shown(), 1);
      EXPECT_EQ(queue_.Workers()->front().since, start);
      clock_->Advance(10s);
    }
  }
  EXPECT_EQ(Shown(), 0);
}

TEST_F(AnnouncerTest, AQueueThatWasAwayShowsItAgain) {
  const Announcer announcer(queue_, *clock_, {card_}, 30s);
  AwaitAnnouncements(1);
  queue_.is_away = true;
  for (int i = 2; i <= 5; ++i) {
    clock_->Advance(10s);
    AwaitAnnouncements(i);
  }
  EXPECT_EQ(Shown(), 0) << "its term is over";
  queue_.is_away = false;
  clock_->Advance(10s);
  AwaitAnnouncements(6);
  EXPECT_EQ(Shown(), 1);
}

}  // namespace
}  // namespace hone
