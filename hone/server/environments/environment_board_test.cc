// SPDX-License-Identifier: Apache-2.0
#include "hone/server/environments/environment_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hone/env/toy_evaluator_for_test.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/testing/fake_clock.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Asker kAda{"ada", false};
const Asker kBob{"bob", false};
const Asker kAdmin{"admin", true};

ServiceSettings ToyService() {
  ServiceSettings settings;
  OfferedDomain toy{"toy", "", {}, false, [](const Options&) { return Capabilities{}; }};
  settings.domains.push_back(toy);
  toy.name = "hosted";
  toy.needs_admin = true;
  settings.domains.push_back(toy);
  return settings;
}

// Time stands still unless it is moved; nobody evaluates.
class EnvironmentBoardTest : public testing::Test {
 protected:
  EnvironmentSettings Settings() {
    EnvironmentSettings settings;
    settings.make = [this](const std::string&,
                           const Options& options) -> Result<std::unique_ptr<Domain>> {
      ++made_;
      if (lacks_) return Error{Errc::kUnsupported, "toy: not on this machine"};
      return MakeDomain(env::ToyTable(), "toy", options);
    };
    settings.serves = {"ops"};
    settings.max = 4;
    settings.max_per_token = 2;
    settings.idle_timeout = 15min;
    return settings;
  }

  static EnvironmentRequest Request(const std::string& domain = "toy") {
    EnvironmentRequest request;
    request.domain = domain;
    return request;
  }

  // With its task in the queue, and nobody there.
  std::string OpenOne(const Asker& asker = kAda) {
    const auto visit = board_.Open(Request(), asker);
    EXPECT_TRUE(visit) << visit.error().message;
    return visit ? (*visit)->identity().id : "";
  }

  std::string WhyNot(const std::string& id, const Asker& asker = kAda) {
    const auto visit = board_.Find(id, asker);
    EXPECT_FALSE(visit);
    if (visit) return "";
    EXPECT_EQ(visit.error().code, Errc::kNotFound);
    return visit.error().message;
  }

  std::size_t SizeOnceRun() {
    std::vector<std::function<void()>> works;
    {
      const std::lock_guard lock(mutex_);
      works.swap(posted_);
    }
    for (const auto& work : works) work();
    return board_.size();
  }

  bool IsCancelled(const TaskId& task) {
    const auto view = queue_->Look(task);
    if (!view || !view->settlement) return false;
    const auto* const drop = std::get_if<Settlement::Drop>(&view->settlement->end);
    return drop != nullptr && drop->why == Dropped::kCancelled;
  }

  int made_ = 0;        // Domains.
  bool lacks_ = false;  // What the domain needs of this machine.
  FakeClock clock_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // Runs when the test says so.
  const Post post_ = [this](std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  };
  const std::unique_ptr<TaskQueue> queue_ = MakeMemoryQueue(clock_);
  Stats stats_{clock_};
  OpenTasks open_;
  TimerQueue timers_{clock_};
  TaskWaiters waiters_{*queue_, timers_, post_, [](const Settled&, const Settlement&) {}};
  Service service_{*queue_, clock_, waiters_, stats_, open_, ToyService()};
  EnvironmentBoard board_{Settings(), service_, timers_, post_};
};

TEST_F(EnvironmentBoardTest, ItsTaskIsInTheQueueAsThatOfItsToken) {
  const std::string id = OpenOne();
  const auto view = queue_->Look(id + "-0");
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->task.submitter, "ada");
  EXPECT_EQ(view->task.domain, "toy");
  EXPECT_EQ(view->task.order, (std::vector<Arm>{Arm::kBaseline, Arm::kCandidate}));
  EXPECT_EQ(*view->task.deadline, clock_.Wall() + 2min + 1h);
}

TEST_F(EnvironmentBoardTest, OnlyItsTokenSeesIt) {
  const std::string id = OpenOne(kAda);
  EXPECT_TRUE(board_.Find(id, kAda));
  EXPECT_THAT(WhyNot(id, kBob), HasSubstr("this token has none"));
  EXPECT_EQ(WhyNot(id, kBob), WhyNot("environment-unknown", kBob)) << "it is not told apart";
  EXPECT_THAT(WhyNot(id, kAdmin), HasSubstr("this token has none"));
  EXPECT_THAT(board_.List(kAda), SizeIs(1));
  EXPECT_THAT(board_.List(kBob), IsEmpty());
}

TEST_F(EnvironmentBoardTest, ATokenMayHaveSoManyAndAllTogetherSoMany) {
  OpenOne(kAda);
  const std::string id = OpenOne(kAda);
  const int made = made_;
  EXPECT_EQ(board_.Open(Request(), kAda).error().code, Errc::kConflict);
  EXPECT_EQ(made_, made) << "nothing is made for nothing";
  OpenOne(kBob);
  OpenOne(kBob);
  EXPECT_EQ(board_.Open(Request(), kAdmin).error().code, Errc::kUnavailable);
  board_.Remove(**board_.Find(id, kAda), "closed");
  OpenOne(kAda);
}

TEST_F(EnvironmentBoardTest, WhatIsIdleIsClosedAndItsTaskIsCancelled) {
  const std::string id = OpenOne();
  clock_.Advance(14min);
  EXPECT_TRUE(board_.Find(id, kAda));  // And so it is not idle.
  clock_.Advance(14min);
  EXPECT_EQ(SizeOnceRun(), 1U);
  EXPECT_FALSE(IsCancelled(id + "-0"));
  clock_.Advance(1min);
  WaitUntil([&] { return SizeOnceRun() == 0; }, "it is closed");
  EXPECT_THAT(WhyNot(id), HasSubstr("no request came for 900 s"));
  EXPECT_THAT(WhyNot(id, kBob), HasSubstr("this token has none"));
  EXPECT_TRUE(IsCancelled(id + "-0"));
}

TEST_F(EnvironmentBoardTest, WhoWaitsKeepsItOpen) {
  const auto visit = board_.Open(Request(), kAda);
  ASSERT_TRUE(visit);
  clock_.Advance(14min);
  const std::string other = OpenOne();  // Whose time to go comes first.
  clock_.Advance(15min);
  WaitUntil([&] { return SizeOnceRun() == 1; }, "the other one is closed");
  EXPECT_TRUE(board_.Find((*visit)->identity().id, kAda));
}

TEST_F(EnvironmentBoardTest, ARemovedOneLeavesNothing) {
  const std::string id = OpenOne();
  board_.Remove(**board_.Find(id, kAda), "its client closed it");
  EXPECT_THAT(WhyNot(id), HasSubstr("its client closed it"));
  EXPECT_TRUE(IsCancelled(id + "-0"));
  EXPECT_EQ(queue_->Count()->held, 0);
  EXPECT_THAT(queue_->Count()->waiting, IsEmpty());
}

TEST_F(EnvironmentBoardTest, WhatChangesTheHostTakesAServerThatWasStartedForItsOwner) {
  EnvironmentRequest request = Request("hosted");
  request.needs_admin = true;
  request.owner = "somebody";
  const auto refused = board_.Open(request, kAdmin);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUnsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("--for"));
  EXPECT_EQ(made_, 0) << "nothing of this machine is read";
  request.owner = "ops";
  const auto visit = board_.Open(request, kAdmin);
  ASSERT_TRUE(visit) << visit.error().message;
  EXPECT_EQ(queue_->Look((*visit)->LastTask())->task.owner, "ops");
}

TEST_F(EnvironmentBoardTest, AClosedBoardCancelsEverythingAndTakesNothing) {
  const std::string id = OpenOne();
  board_.Close();
  EXPECT_TRUE(IsCancelled(id + "-0"));
  EXPECT_EQ(board_.size(), 0U);
  EXPECT_EQ(board_.Open(Request(), kAda).error().code, Errc::kUnavailable);
  clock_.Advance(1h);  // No timer rings any more.
}

TEST_F(EnvironmentBoardTest, WhatThisMachineLacksIsNotTheTokensFault) {
  lacks_ = true;
  const auto visit = board_.Open(Request(), kAda);
  ASSERT_FALSE(visit);
  EXPECT_EQ(visit.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(visit.error().message, HasSubstr("not on this machine"));
}

TEST_F(EnvironmentBoardTest, AnEnvironmentThatCannotBeMadeTakesNoPlace) {
  EnvironmentRequest request = Request();
  request.settings.options = {{"surface", "of the moon"}};
  EXPECT_FALSE(board_.Open(request, kAda));
  request = Request();
  request.objectives = {{"beauty", Direction::kHigherIsBetter, 1}};
  EXPECT_EQ(board_.Open(request, kAda).error().code, Errc::kInvalidArgument);
  EXPECT_EQ(board_.size(), 0U);
  EXPECT_THAT(queue_->Count()->waiting, IsEmpty());
}

}  // namespace
}  // namespace hone::server
