// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/queue/waiting_room.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <thread>

#include "hone/testing/fake_clock.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

// Somebody who waits until he is given something, and counts how often he looked.
class Guest {
 public:
  using Entrance = std::function<void(const std::stop_token&, std::function<Attempt<int>()>)>;

  explicit Guest(const Entrance& enter)
      : thread_([this, enter](const std::stop_token& stop) {
          enter(stop, [this] {
            ++looks;
            if (on_look) on_look();
            return has_gift ? Attempt<int>{1, until} : Attempt<int>{std::nullopt, until};
          });
          is_gone = true;
        }) {}

  std::atomic<int> looks = 0;
  std::atomic<bool> has_gift = false;
  std::atomic<bool> is_gone = false;
  Clock::Monotonic until = Clock::Monotonic::max();
  std::function<void()> on_look;  // What happens while he looks.

 private:
  std::jthread thread_;
};

class WaitingRoomTest : public testing::Test {
 protected:
  void EnterToTake(const Capabilities& has, const std::set<std::string>& serves = {kEverybody}) {
    guests_.emplace_back([this, has, serves](const auto& stop, const auto& look) {
      EXPECT_TRUE(room_.WaitToTake<int>({"w", has, serves}, 24h, stop,
                                        [&]() -> Result<Attempt<int>> { return look(); }));
    });
    clock_.AwaitWaiters(guests_.size());
  }

  void EnterFor(const TaskId& task) {
    guests_.emplace_back([this, task](const auto& stop, const auto& look) {
      EXPECT_TRUE(
          room_.WaitFor<int>(task, 24h, stop, [&]() -> Result<Attempt<int>> { return look(); }));
    });
    clock_.AwaitWaiters(guests_.size());
  }

  int Looks() const {
    int looks = 0;
    for (const Guest& guest : guests_) looks += guest.looks;
    return looks;
  }

  // Makes the change, and returns how many looked because of it, once they all wait again.
  int LooksAfter(const std::function<void()>& change, int expected) {
    const int before = Looks();
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    WaitUntil([&] { return Looks() >= before + expected; }, "all who are called have looked");
    clock_.AwaitWaiters(guests_.size());
    return Looks() - before;
  }

  FakeClock clock_;
  std::mutex mutex_;
  WaitingRoom room_{clock_, mutex_};
  std::deque<Guest> guests_;  // Last: they use the rest.
};

TEST_F(WaitingRoomTest, ANewTaskCallsOneOfManyWorkers) {
  for (int i = 0; i < 8; ++i) EnterToTake({{"cpp"}, 0});
  EXPECT_EQ(LooksAfter([&] { room_.CallOneFor(kEverybody, {{"cpp"}, 0}); }, 1), 1);
  EXPECT_EQ(LooksAfter([&] { room_.CallOneFor(kEverybody, {{"gpu"}, 0}); }, 0), 0);
}

TEST_F(WaitingRoomTest, ASecondTaskCallsAnotherWorker) {
  for (int i = 0; i < 8; ++i) EnterToTake({});
  const auto call_two = [&] {
    room_.CallOneFor(kEverybody, {});
    room_.CallOneFor(kEverybody, {});
  };
  EXPECT_EQ(LooksAfter(call_two, 2), 2);
}

TEST_F(WaitingRoomTest, OneOfEachKindIsCalledSinceOnlyItKnowsWhatItCanTake) {
  for (int i = 0; i < 3; ++i) EnterToTake({{"cpp"}, 0});
  for (int i = 0; i < 3; ++i) EnterToTake({{"cpp", "gpu"}, 0});
  EXPECT_EQ(LooksAfter([&] { room_.CallOneFor(kEverybody, {{"cpp"}, 0}); }, 2), 2);
  EXPECT_EQ(LooksAfter([&] { room_.CallOneFor(kEverybody, {{"gpu"}, 0}); }, 1), 1);
}

TEST_F(WaitingRoomTest, ATaskCallsNobodyButThoseWhoServeItsOwner) {
  EnterToTake({});
  EnterToTake({}, {"ada"});
  EnterToTake({}, {"ada", kEverybody});
  EXPECT_EQ(LooksAfter([&] { room_.CallOneFor("ada", {}); }, 2), 2);
  EXPECT_EQ(LooksAfter([&] { room_.CallOneFor("bob", {}); }, 0), 0);
  EXPECT_EQ(LooksAfter([&] { room_.CallOneFor(kEverybody, {}); }, 2), 2);
}

TEST_F(WaitingRoomTest, WhoIsCalledWhileHeLooksLooksAgainAndCanBeCalledLater) {
  EnterToTake({});
  const auto call = [&] { room_.CallOneFor(kEverybody, {}); };
  guests_[0].on_look = [&, call] {
    if (guests_[0].looks == 2) call();
  };
  EXPECT_EQ(LooksAfter(call, 2), 2);
  EXPECT_EQ(LooksAfter(call, 1), 1);
}

TEST_F(WaitingRoomTest, WhoIsCalledWhileHeFindsSomethingPassesTheCallOn) {
  EnterToTake({});
  EnterToTake({});
  {
    const std::lock_guard lock(mutex_);
    guests_[1].has_gift = true;
    guests_[1].on_look = [&] { room_.CallOneFor(kEverybody, {}); };
    room_.CallOneFor(kEverybody, {});  // The one who came last.
  }
  WaitUntil([&] { return guests_[1].is_gone && guests_[0].looks >= 2; },
            "one is gone and the other has looked again");
}

TEST_F(WaitingRoomTest, AnEndCallsOnlyThoseWhoAwaitIt) {
  for (int i = 0; i < 8; ++i) EnterFor("t" + std::to_string(i));
  EnterFor("t7");
  EXPECT_EQ(LooksAfter([&] { room_.CallFor("t7"); }, 2), 2);
  EXPECT_EQ(LooksAfter([&] { room_.CallFor("nobody's"); }, 0), 0);
}

TEST_F(WaitingRoomTest, WhenTheKeeperLeavesAnotherTakesItsPlace) {
  EnterFor("first");
  EnterFor("second");
  EnterFor("third");
  guests_[0].has_gift = true;
  guests_[1].until = clock_.Now() + 5s;
  {
    const std::lock_guard lock(mutex_);
    room_.CallFor("first");
  }
  WaitUntil([&] { return guests_[0].is_gone && guests_[1].looks >= 2; },
            "one is gone and the other has looked again");
  EXPECT_EQ(guests_[2].looks, 1);
}

TEST_F(WaitingRoomTest, AnEarlierTimeCallsTheKeeperAndALaterOneNobody) {
  EnterFor("first");
  EnterFor("second");
  EXPECT_EQ(LooksAfter([&] { room_.NoteDue(clock_.Now() + 5s); }, 1), 1);
  EXPECT_EQ(LooksAfter([&] { room_.NoteDue(clock_.Now() + 48h); }, 0), 0);
  EXPECT_EQ(guests_[1].looks, 1);
}

}  // namespace
}  // namespace hone
