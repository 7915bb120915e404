// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "hone/eval/queue/task_queue.h"
#include "hone/eval/queue/task_queue_exam.h"
#include "hone/eval/queue/task_queue_service_contract.h"

// The exam that every queue passes. A queue's test includes this header and says
//   INSTANTIATE_TEST_SUITE_P(Memory, TaskQueueContract, testing::Values(QueueExam{…}));
// and, if it is durable, the same for DurableQueueContract.
namespace hone {

TEST_P(TaskQueueContract, APushedTaskIsTakenOnceAndWhole) {
  Task task = MakeTask("a");
  task.options = {{"noise", "0.05"}};
  task.baseline = Candidate{{{"x", 0.3}}, "source\n"};
  task.order = {Arm::kBaseline, Arm::kCandidate};
  task.seed = ~std::uint64_t{0};
  task.deadline = clock_.Wall() + 1h;
  Push(task);
  EXPECT_EQ(Take().task, task);
  EXPECT_EQ(Take().task.id, "");
}

TEST_P(TaskQueueContract, TheSameTaskAgainChangesNothing) {
  Push(MakeTask("a"));
  Push(MakeTask("a"));
  EXPECT_EQ(Take().task.id, "a");
  EXPECT_EQ(Take().task.id, "");
  Push(MakeTask("a"));
  EXPECT_EQ(Take().task.id, "");
}

TEST_P(TaskQueueContract, ASettledTaskPushedAgainStaysSettled) {
  Push(MakeTask("a"));
  ASSERT_TRUE(queue().Settle(Take().lease, MakeEvaluation("a")));
  Push(MakeTask("a"));
  EXPECT_EQ(Take().task.id, "");
  EXPECT_EQ(EndOf("a"), "evaluated");
}

TEST_P(TaskQueueContract, AnotherBodyUnderAKnownIdIsRefused) {
  Push(MakeTask("a"));
  const auto pushed = queue().Push(MakeTask("a", 7));
  ASSERT_FALSE(pushed);
  EXPECT_EQ(pushed.error().code, Errc::kConflict);
  EXPECT_EQ(Take().task, MakeTask("a"));
}

TEST_P(TaskQueueContract, TasksThatNobodyCouldEvaluateAreRefused) {
  Task nameless = MakeTask("");
  Task without_attempts = MakeTask("a");
  without_attempts.max_attempts = 0;
  Task without_baseline = MakeTask("a");
  without_baseline.order = {Arm::kBaseline, Arm::kCandidate};
  Task of_no_word = MakeTask("a");
  of_no_word.owner = "ada and bob";
  for (const Task& task : {nameless, without_attempts, without_baseline, of_no_word}) {
    const auto pushed = queue().Push(task);
    ASSERT_FALSE(pushed);
    EXPECT_EQ(pushed.error().code, Errc::kInvalidArgument);
  }
  EXPECT_EQ(Take().task.id, "");
}

TEST_P(TaskQueueContract, TheOldestOfTheHighestPriorityGoesFirst) {
  Push(MakeTask("low-old", -1));
  Push(MakeTask("high-old", 2));
  Push(MakeTask("middle"));
  Push(MakeTask("high-young", 2));
  Push(MakeTask("low-young", -1));
  std::vector<TaskId> order(5);
  for (TaskId& id : order) id = Take().task.id;
  EXPECT_THAT(order,
              testing::ElementsAre("high-old", "high-young", "middle", "low-old", "low-young"));
}

TEST_P(TaskQueueContract, AReturnedTaskKeepsItsPlace) {
  Push(MakeTask("old"));
  Push(MakeTask("young"));
  ASSERT_TRUE(queue().Return(Take().lease, "the sandbox failed"));
  EXPECT_EQ(Take().task.id, "old");
}

TEST_P(TaskQueueContract, ATaskWhoseNeedsAreNotCoveredIsLeftForOthers) {
  Task gpu = MakeTask("gpu", 9);
  gpu.needs = {{"gpu", "root"}, 1024};
  Push(gpu);
  Push(MakeTask("plain"));
  EXPECT_EQ(Take({{"gpu"}, 4096}).task.id, "plain");
  EXPECT_EQ(Take({{"gpu", "root"}, 1023}).task.id, "");
  EXPECT_EQ(Take({{"gpu", "root", "more"}, 1024}).task.id, "gpu");
}

TEST_P(TaskQueueContract, ATaskIsTakenOnlyByWorkersThatServeItsOwner) {
  Push(MakeTaskOf("toy-1", "of ada"));
  Push(MakeTask("of all", 9));
  EXPECT_EQ(TakeFor({"toy-2"}).task.id, "");
  EXPECT_EQ(TakeFor({"toy-1"}).task, MakeTaskOf("toy-1", "of ada"));
  EXPECT_EQ(TakeFor({"toy-1"}).task.id, "");  // Everybody's is not this owner's.
  EXPECT_EQ(TakeFor({}).task.id, "");
  EXPECT_EQ(Take().task.id, "of all");
}

TEST_P(TaskQueueContract, AWorkerOfSeveralOwnersTakesTheFirstOfAll) {
  Push(MakeTaskOf("ada", "a"));
  Push(MakeTaskOf("bob", "b", 1));
  Push(MakeTaskOf("eve", "e", 2));
  Push(MakeTask("z"));
  const std::set<std::string> serves{"ada", "bob", kEverybody};
  EXPECT_EQ(TakeFor(serves).task.id, "b");
  EXPECT_EQ(TakeFor(serves).task.id, "a");
  EXPECT_EQ(TakeFor(serves).task.id, "z");
  EXPECT_EQ(TakeFor(serves).task.id, "");
}

TEST_P(TaskQueueContract, WhatAnOwnerLeftBehindIsOfferedToNobodyElse) {
  Push(MakeTaskOf("ada", "a"));
  EXPECT_EQ(TakeFor({"ada"}).task.id, "a");
  clock_.Advance(kLeaseDuration);
  EXPECT_EQ(TakeFor({"bob", kEverybody}).task.id, "");
  EXPECT_EQ(Look("a").state, TaskState::kWaiting);
  EXPECT_EQ(TakeFor({"ada"}).lease.task, "a");
}

TEST_P(TaskQueueContract, APushWakesWhoServesTheOwner) {
  auto ada = TakeInBackgroundFor({"ada"});
  auto bob = TakeInBackgroundFor({"bob"});
  clock_.AwaitWaiters(2);
  Push(MakeTaskOf("bob", "b"));
  EXPECT_EQ(bob.get().task.id, "b");
  Push(MakeTaskOf("ada", "a"));
  EXPECT_EQ(ada.get().task.id, "a");
}

TEST_P(TaskQueueContract, AnotherOwnerIsAnotherBody) {
  Push(MakeTaskOf("ada", "a"));
  Push(MakeTaskOf("ada", "a"));
  for (const std::string owner : {"bob", kEverybody}) {
    const auto pushed = queue().Push(MakeTaskOf(owner, "a"));
    ASSERT_FALSE(pushed);
    EXPECT_EQ(pushed.error().code, Errc::kConflict);
  }
  EXPECT_EQ(Look("a").task.owner, "ada");
}

TEST_P(TaskQueueContract, ATaskStaysItsSubmittersAndAnotherSubmitterIsAnotherBody) {
  Task task = MakeTask("a");
  task.submitter = "one";
  Push(task);
  Push(task);
  for (const std::string submitter : {"other", ""}) {
    Task same = task;
    same.submitter = submitter;
    const auto pushed = queue().Push(same);
    ASSERT_FALSE(pushed) << submitter;
    EXPECT_EQ(pushed.error().code, Errc::kConflict);
  }
  EXPECT_EQ(Look("a").task.submitter, "one");
  EXPECT_EQ(Take().task, task) << "any worker takes it";
  EXPECT_EQ(Look("a").task.submitter, "one");
}

TEST_P(TaskQueueContract, AnUnrenewedLeaseIsOfferedAgainUnderAHigherGeneration) {
  Push(MakeTask("a"));
  const Claim first = Take();
  clock_.Advance(kLeaseDuration - 1ms);
  EXPECT_EQ(Take().task.id, "");
  clock_.Advance(1ms);
  const Claim second = Take();
  EXPECT_EQ(second.task.id, "a");
  EXPECT_GT(second.lease.generation, first.lease.generation);
}

TEST_P(TaskQueueContract, ARenewedLeaseIsKept) {
  Push(MakeTask("a"));
  const Claim claim = Take();
  for (int i = 0; i < 5; ++i) {
    clock_.Advance(kLeaseDuration - 1ms);
    ASSERT_TRUE(queue().Renew(claim.lease, kLeaseDuration));
  }
  EXPECT_EQ(Take().task.id, "");
  EXPECT_TRUE(queue().Settle(claim.lease, MakeEvaluation("a")));
}

TEST_P(TaskQueueContract, ALostLeaseCanDoNothing) {
  Push(MakeTask("a"));
  const Claim lost = Take();
  clock_.Advance(kLeaseDuration);
  ExpectLost(lost.lease);  // Before anybody took it again,
  const Claim held = Take();
  ExpectLost(lost.lease);  // and after.
  EXPECT_EQ(EndOf("a"), "open");
  EXPECT_TRUE(queue().Settle(held.lease, MakeEvaluation("a")));
}

TEST_P(TaskQueueContract, ALeaseOfAnUnknownTaskIsStale) { ExpectLost({"nobody", 1}); }

TEST_P(TaskQueueContract, SettlesExactlyOnce) {
  Push(MakeTask("a"));
  const Claim claim = Take();
  ASSERT_TRUE(queue().Settle(claim.lease, MakeEvaluation("a", 1)));
  ExpectLost(claim.lease);
  clock_.Advance(kLeaseDuration * 10);
  EXPECT_EQ(Take().task.id, "");
  const auto settled = queue().Await("a", kNow);
  ASSERT_TRUE(settled && *settled);
  EXPECT_EQ(std::get<Evaluation>((*settled)->end), MakeEvaluation("a", 1));
}

TEST_P(TaskQueueContract, AnEvaluationOfAnotherTaskIsRefused) {
  Push(MakeTask("a"));
  const Claim claim = Take();
  const auto settled = queue().Settle(claim.lease, MakeEvaluation("b"));
  ASSERT_FALSE(settled);
  EXPECT_EQ(settled.error().code, Errc::kInvalidArgument);
  EXPECT_TRUE(queue().Settle(claim.lease, MakeEvaluation("a")));
}

TEST_P(TaskQueueContract, AReturnedTaskIsOfferedAgainThenAbandonedWithTheLastReason) {
  Push(MakeTask("a"));
  for (const std::string reason : {"first fault", "second fault", "third fault"}) {
    EXPECT_EQ(EndOf("a"), "open");
    ASSERT_TRUE(queue().Return(Take().lease, reason));
  }
  EXPECT_EQ(Take().task.id, "");
  EXPECT_EQ(EndOf("a"), "abandoned");
  EXPECT_THAT(ReasonOf("a"), testing::HasSubstr("third fault"));
}

TEST_P(TaskQueueContract, ATaskThatKeepsLosingItsLeaseIsAbandoned) {
  Push(MakeTask("a"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Take().task.id, "a");
    clock_.Advance(kLeaseDuration);
  }
  EXPECT_EQ(Take().task.id, "");
  EXPECT_EQ(EndOf("a"), "abandoned");
}

TEST_P(TaskQueueContract, LostLeasesAndReturnsCountTogether) {
  Push(MakeTask("a"));
  ASSERT_TRUE(queue().Return(Take().lease, "a fault"));
  EXPECT_EQ(Take().task.id, "a");
  clock_.Advance(kLeaseDuration);
  ASSERT_TRUE(queue().Return(Take().lease, "another fault"));
  EXPECT_EQ(EndOf("a"), "abandoned");
}

TEST_P(TaskQueueContract, AReleasedTaskIsOfferedAgainAndNoAttemptIsCounted) {
  Push(MakeTask("a"));
  Claim claim = Take();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(queue().Release(claim.lease));
    ExpectLost(claim.lease);
    const Claim next = Take();
    EXPECT_GT(next.lease.generation, claim.lease.generation);
    claim = next;
  }
  EXPECT_EQ(EndOf("a"), "open");
}

TEST_P(TaskQueueContract, AWaitingTaskExpiresAtItsDeadline) {
  Task task = MakeTask("a");
  task.deadline = clock_.Wall() + 10s;
  Push(task);
  clock_.Advance(10s - 1ms);
  EXPECT_EQ(EndOf("a"), "open");
  clock_.Advance(1ms);
  EXPECT_EQ(EndOf("a"), "expired");
  EXPECT_EQ(Take().task.id, "");
}

TEST_P(TaskQueueContract, ALeasedTaskExpiresAtItsDeadlineAndItsHolderIsStale) {
  Task task = MakeTask("a");
  task.deadline = clock_.Wall() + 10s;
  Push(task);
  const Claim claim = Take();
  clock_.Advance(10s);
  ExpectLost(claim.lease);
  EXPECT_EQ(EndOf("a"), "expired");
}

TEST_P(TaskQueueContract, ATaskPushedTooLateExpires) {
  Task task = MakeTask("a");
  task.deadline = clock_.Wall() - 1s;
  Push(task);
  EXPECT_EQ(Take().task.id, "");
  EXPECT_EQ(EndOf("a"), "expired");
}

TEST_P(TaskQueueContract, CancelEndsAWaitingOrALeasedTask) {
  Push(MakeTask("leased"));
  const Claim claim = Take();
  Push(MakeTask("waiting"));
  ASSERT_TRUE(queue().Cancel("leased"));
  ASSERT_TRUE(queue().Cancel("waiting"));
  ExpectLost(claim.lease);
  EXPECT_EQ(Take().task.id, "");
  EXPECT_EQ(EndOf("leased"), "cancelled");
  EXPECT_EQ(EndOf("waiting"), "cancelled");
}

TEST_P(TaskQueueContract, CancelLeavesASettledTaskAsItIs) {
  Push(MakeTask("a"));
  ASSERT_TRUE(queue().Settle(Take().lease, MakeEvaluation("a")));
  EXPECT_TRUE(queue().Cancel("a"));
  EXPECT_EQ(EndOf("a"), "evaluated");
}

TEST_P(TaskQueueContract, CancelAndAwaitDoNotKnowATaskThatWasNeverPushed) {
  EXPECT_EQ(queue().Cancel("a").error().code, Errc::kNotFound);
  EXPECT_EQ(queue().Await("a", kNow).error().code, Errc::kNotFound);
}

TEST_P(TaskQueueContract, AwaitIsWokenBySettle) {
  Push(MakeTask("a"));
  const Claim claim = Take();
  auto end = AwaitInBackground("a");
  clock_.AwaitWaiters(1);
  ASSERT_TRUE(queue().Settle(claim.lease, MakeEvaluation("a")));
  EXPECT_EQ(end.get(), "evaluated");
}

TEST_P(TaskQueueContract, AwaitIsWokenByCancel) {
  Push(MakeTask("a"));
  auto end = AwaitInBackground("a");
  clock_.AwaitWaiters(1);
  ASSERT_TRUE(queue().Cancel("a"));
  EXPECT_EQ(end.get(), "cancelled");
}

TEST_P(TaskQueueContract, AwaitIsWokenByExpiryAndWaitsNoLongerThanTheDeadline) {
  Task task = MakeTask("a");
  task.deadline = clock_.Wall() + 10s;
  Push(task);
  auto end = AwaitInBackground("a");
  clock_.AwaitWaiters(1);
  EXPECT_EQ(clock_.LastWait(), 10s);
  clock_.Advance(10s);
  EXPECT_EQ(end.get(), "expired");
}

TEST_P(TaskQueueContract, AwaitIsWokenByAbandonmentThroughReturn) {
  Task task = MakeTask("a");
  task.max_attempts = 1;
  Push(task);
  const Claim claim = Take();
  auto end = AwaitInBackground("a");
  clock_.AwaitWaiters(1);
  ASSERT_TRUE(queue().Return(claim.lease, "a fault"));
  EXPECT_EQ(end.get(), "abandoned");
}

TEST_P(TaskQueueContract, AwaitNoticesALeaseThatWasTakenAfterItBeganToWait) {
  Task task = MakeTask("a");
  task.max_attempts = 1;
  Push(task);
  auto end = AwaitInBackground("a");
  clock_.AwaitWaiters(1);
  EXPECT_EQ(Take().task.id, "a");
  // The waiter looks again, and then waits for the end of the lease, not of its timeout. Should
  // it be late, it finds the lease already over.
  clock_.Advance(kLeaseDuration);
  EXPECT_EQ(end.get(), "abandoned");
}

TEST_P(TaskQueueContract, TakeWaitsAndIsWokenByPush) {
  auto claim = TakeInBackground();
  clock_.AwaitWaiters(1);
  Push(MakeTask("a"));
  EXPECT_EQ(claim.get().task.id, "a");
}

TEST_P(TaskQueueContract, TakeIsWokenByReturnAndByRelease) {
  Push(MakeTask("a"));
  Claim held = Take();
  auto second = TakeInBackground();
  clock_.AwaitWaiters(1);
  ASSERT_TRUE(queue().Return(held.lease, "a fault"));
  held = second.get();
  EXPECT_EQ(held.task.id, "a");
  auto third = TakeInBackground();
  clock_.AwaitWaiters(1);
  ASSERT_TRUE(queue().Release(held.lease));
  EXPECT_EQ(third.get().task.id, "a");
}

TEST_P(TaskQueueContract, TakeIsWokenWhenALeaseRunsOutAndDoesNotPollForIt) {
  Push(MakeTask("a"));
  Take();
  const int waits = clock_.Waits();
  auto claim = TakeInBackground();
  clock_.AwaitWaiters(1);
  EXPECT_EQ(clock_.LastWait(), kLeaseDuration);
  clock_.Advance(kLeaseDuration);
  EXPECT_EQ(claim.get().task.id, "a");
  // One wait for the lease; another only if a bell of the pushes above came late.
  EXPECT_LE(clock_.Waits() - waits, 3);
}

TEST_P(TaskQueueContract, TakeReturnsEmptyHandedWhenPatienceIsOver) {
  auto claim = TakeInBackground();
  clock_.AwaitWaiters(1);
  clock_.Advance(kLong);
  EXPECT_EQ(claim.get().task.id, "");
}

TEST_P(TaskQueueContract, WakeReturnsEveryone) {
  Push(MakeTask("a"));
  Take();
  auto take = TakeInBackground();
  auto await = AwaitInBackground("a");
  clock_.AwaitWaiters(2);
  queue().Wake();
  EXPECT_EQ(take.get().task.id, "");
  EXPECT_EQ(await.get(), "open");
}

TEST_P(TaskQueueContract, AskedToStopEveryoneReturnsAtOnceOrWithoutWaiting) {
  Push(MakeTask("a"));
  Take();
  std::stop_source stop;
  auto take = TakeInBackground(stop.get_token());
  auto await = AwaitInBackground("a", stop.get_token());
  clock_.AwaitWaiters(2);
  stop.request_stop();
  EXPECT_EQ(take.get().task.id, "");
  EXPECT_EQ(await.get(), "open");
  EXPECT_EQ(TakeInBackground(stop.get_token()).get().task.id, "");
  EXPECT_EQ(AwaitInBackground("a", stop.get_token()).get(), "open");
}

TEST_P(TaskQueueContract, ManyProducersAndWorkersSettleEachTaskExactlyOnce) {
  constexpr int kThreads = 4;
  constexpr int kTasksEach = 25;
  std::stop_source done;
  std::mutex mutex;
  std::map<TaskId, int> settled;
  std::vector<std::jthread> workers;
  for (int i = 0; i < kThreads; ++i) {
    workers.emplace_back([&, i] {
      int returns = 0;
      while (!done.stop_requested()) {
        const Claim claim =
            ClaimIn(queue().Take({"w", {}}, kLeaseDuration, kLong, done.get_token()));
        if (claim.task.id.empty()) continue;
        if (++returns % 7 == i) {  // Some go back once in a while.
          EXPECT_TRUE(queue().Release(claim.lease));
          continue;
        }
        EXPECT_TRUE(queue().Renew(claim.lease, kLeaseDuration));
        EXPECT_TRUE(queue().Settle(claim.lease, MakeEvaluation(claim.task.id)));
        const std::lock_guard lock(mutex);
        ++settled[claim.task.id];
      }
    });
  }
  std::vector<std::jthread> producers;
  for (int i = 0; i < kThreads; ++i) {
    producers.emplace_back([&, i] {
      for (int k = 0; k < kTasksEach; ++k)
        Push(MakeTask(std::to_string(i * kTasksEach + k), k % 3));
      for (int k = 0; k < kTasksEach; ++k) {
        EXPECT_EQ(AwaitInBackground(std::to_string(i * kTasksEach + k)).get(), "evaluated");
      }
    });
  }
  producers.clear();
  done.request_stop();
  workers.clear();
  EXPECT_EQ(settled.size(), kThreads * kTasksEach);
  for (const auto& [id, times] : settled) EXPECT_EQ(times, 1) << id;
}

TEST_P(DurableQueueContract, AQueueOpenedAgainHasEverythingAsItWas) {
  Push(MakeTask("settled"));
  ASSERT_TRUE(queue().Settle(Take().lease, MakeEvaluation("settled")));
  Push(MakeTask("abandoned"));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue().Return(Take().lease, "a fault"));
  Push(MakeTask("leased"));
  const Claim held = Take();
  Push(MakeTask("waiting"));
  queue_.reset();
  queue_ = MakeQueue();
  EXPECT_EQ(EndOf("settled"), "evaluated");
  EXPECT_THAT(ReasonOf("abandoned"), testing::HasSubstr("a fault"));
  EXPECT_TRUE(queue().Renew(held.lease, kLeaseDuration));
  EXPECT_EQ(Take().task.id, "waiting");
  EXPECT_TRUE(queue().Settle(held.lease, MakeEvaluation("leased")));
}

TEST_P(DurableQueueContract, TwoQueuesInOneFolderWakeEachOther) {
  const std::unique_ptr<TaskQueue> other = MakeQueue();
  auto taken = TakeInBackground();
  clock_.AwaitWaiters(1);
  ASSERT_TRUE(other->Push(MakeTask("a")));
  const Claim claim = taken.get();
  EXPECT_EQ(claim.task.id, "a");
  auto end = AwaitInBackground("a");
  clock_.AwaitWaiters(1);
  ASSERT_TRUE(other->Settle(claim.lease, MakeEvaluation("a")));
  EXPECT_EQ(end.get(), "evaluated");
}

}  // namespace hone
