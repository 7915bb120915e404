// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "hone/eval/queue/task_queue.h"
#include "hone/eval/queue/task_queue_exam.h"

// The part of the exam about what a server needs: order, views, workers, the feed, forgetting.
// task_queue_contract.h includes it.
namespace hone {

TEST_P(TaskQueueContract, ALevelOfPriorityIsAHeadStartAndNoMore) {
  Push(MakeTask("old"));
  clock_.Advance(kHeadStart - 1s);
  Push(MakeTask("young and high", 1));
  clock_.Advance(2s);
  Push(MakeTask("younger and high", 1));
  EXPECT_EQ(Take().task.id, "young and high");
  EXPECT_EQ(Take().task.id, "old");
  EXPECT_EQ(Take().task.id, "younger and high");
}

TEST_P(TaskQueueContract, AnEndlessStreamOfHighTasksStarvesNoLowOne) {
  Push(MakeTask("low", -1));
  std::vector<TaskId> taken;
  for (int i = 0; i < 100 && (taken.empty() || taken.back() != "low"); ++i) {
    Push(MakeTask(std::to_string(i), 2));  // Three levels above, faster than they are worked off.
    Push(MakeTask(std::to_string(i) + " too", 2));
    taken.push_back(Take({}, kLong).task.id);
    clock_.Advance(10s);
  }
  EXPECT_EQ(taken.back(), "low");
  EXPECT_LE(taken.size(), 3 * kHeadStart / 10s * 2 + 1);
}

TEST_P(TaskQueueContract, TheOldestGoesFirstWhateverItNeeds) {
  Task gpu = MakeTask("gpu");
  gpu.needs.names = {"gpu"};
  Push(MakeTask("first"));
  clock_.Advance(1s);
  Push(gpu);
  clock_.Advance(1s);
  Push(MakeTask("last"));
  EXPECT_EQ(Take({{"gpu"}, 0}).task.id, "first");
  EXPECT_EQ(Take({{"gpu"}, 0}).task.id, "gpu");
  EXPECT_EQ(Take({{"gpu"}, 0}).task.id, "last");
}

TEST_P(TaskQueueContract, LookFollowsATaskThroughItsLife) {
  const WallTime start = clock_.Wall();
  Push(MakeTask("a", 3));
  TaskView view = Look("a");
  EXPECT_EQ(view.task, MakeTask("a", 3));
  EXPECT_EQ(view.state, TaskState::kWaiting);
  EXPECT_EQ(view.pushed, start);
  EXPECT_FALSE(view.taken);
  EXPECT_FALSE(view.settled);
  EXPECT_FALSE(view.settlement);
  EXPECT_EQ(view.worker, "");
  clock_.Advance(2s);
  const Claim claim = ClaimIn(queue().Take({"anna", {}}, kLeaseDuration, kNow));
  clock_.Advance(3s);
  view = Look("a");
  EXPECT_EQ(view.state, TaskState::kHeld);
  EXPECT_EQ(view.taken, start + 2s);
  EXPECT_EQ(view.worker, "anna");
  ASSERT_TRUE(queue().Settle(claim.lease, MakeEvaluation("a")));
  clock_.Advance(1s);
  view = Look("a");
  EXPECT_EQ(view.state, TaskState::kSettled);
  EXPECT_EQ(view.pushed, start);
  EXPECT_EQ(view.taken, start + 2s);
  EXPECT_EQ(view.settled, start + 5s);
  ASSERT_TRUE(view.settlement);
  EXPECT_EQ(std::get<Evaluation>(view.settlement->end), MakeEvaluation("a"));
  EXPECT_EQ(view.worker, "anna");
  EXPECT_EQ(view.attempts, 0);
}

TEST_P(TaskQueueContract, LookCountsTheAttemptsThatFailed) {
  Push(MakeTask("a"));
  ASSERT_TRUE(queue().Return(Take().lease, "a fault"));
  EXPECT_EQ(Look("a").attempts, 1);
  EXPECT_EQ(Look("a").state, TaskState::kWaiting);
  Take();
  EXPECT_EQ(Look("a").attempts, 1);
  clock_.Advance(kLeaseDuration);
  EXPECT_EQ(Look("a").attempts, 2);
  EXPECT_EQ(Look("a").state, TaskState::kWaiting);
  Take();
  clock_.Advance(kLeaseDuration);
  EXPECT_EQ(Look("a").attempts, 3);
  EXPECT_EQ(Look("a").state, TaskState::kSettled);
}

TEST_P(TaskQueueContract, LookSeesADeadlineThatPassed) {
  Task task = MakeTask("a");
  task.deadline = clock_.Wall() + 10s;
  Push(task);
  clock_.Advance(10s);
  EXPECT_EQ(Look("a").state, TaskState::kSettled);
}

TEST_P(TaskQueueContract, LookCountsWhoGoesBefore) {
  Task gpu = MakeTask("gpu");
  gpu.needs.names = {"gpu"};
  Push(MakeTask("held"));
  Take();
  Push(gpu);
  Push(MakeTask("plain"));
  Push(MakeTask("low", -1));
  Push(MakeTask("high", 1));
  EXPECT_EQ(Look("high").ahead, 0);
  EXPECT_EQ(Look("gpu").ahead, 1);
  EXPECT_EQ(Look("plain").ahead, 2);
  EXPECT_EQ(Look("low").ahead, 3);
  EXPECT_EQ(Look("held").ahead, 0);
  Push(MakeTaskOf("ada", "of ada"));
  EXPECT_EQ(Look("of ada").ahead, 0);
  EXPECT_EQ(Look("low").ahead, 3);
}

TEST_P(TaskQueueContract, LookDoesNotKnowATaskThatWasNeverPushed) {
  EXPECT_EQ(queue().Look("a").error().code, Errc::kNotFound);
}

TEST_P(TaskQueueContract, CountsWhatWaitsByPriorityWhatIsHeldAndWhatIsSettled) {
  const auto none = queue().Count();
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_TRUE(none->waiting.empty());
  EXPECT_EQ(none->held + none->settled, 0);
  const WallTime start = clock_.Wall();
  Finish("settled");
  Push(MakeTask("cancelled"));
  ASSERT_TRUE(queue().Cancel("cancelled"));
  Push(MakeTask("held", 9));
  Take();
  Push(MakeTask("low", -1));
  clock_.Advance(1s);
  Push(MakeTask("high", 2));
  clock_.Advance(1s);
  Push(MakeTask("high too", 2));
  const auto counts = queue().Count();
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_THAT(counts->waiting, testing::ElementsAre(QueueCounts::Level{2, 2, start + 1s},
                                                    QueueCounts::Level{-1, 1, start}));
  EXPECT_EQ(counts->held, 1);
  EXPECT_EQ(counts->settled, 2);
}

TEST_P(TaskQueueContract, CountSeesWhatTimeBroughtAbout) {
  Task task = MakeTask("late");
  task.deadline = clock_.Wall() + 10s;
  Push(task);
  Push(MakeTask("dropped by its worker", 1));
  Take();
  clock_.Advance(kLeaseDuration);
  const auto counts = queue().Count();
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(counts->held, 0);
  EXPECT_EQ(counts->settled, 1);
  ASSERT_EQ(counts->waiting.size(), 1);
  EXPECT_EQ(counts->waiting[0].priority, 1);
}

TEST_P(TaskQueueContract, WorkersAreShownWholeByNameForTheirTerm) {
  ASSERT_TRUE(queue().Announce(MakeCard("b"), 10s));
  clock_.Advance(1s);
  ASSERT_TRUE(queue().Announce(MakeCard("a"), 10s));
  EXPECT_THAT(WorkerNames(), testing::ElementsAre("a", "b"));
  WorkerCard seen = MakeCard("a");
  seen.seen = clock_.Wall();
  EXPECT_EQ(queue().Workers()->front(), seen);
  clock_.Advance(9s);
  EXPECT_THAT(WorkerNames(), testing::ElementsAre("a"));
  clock_.Advance(1s);
  EXPECT_THAT(WorkerNames(), testing::IsEmpty());
}

TEST_P(TaskQueueContract, AWorkerAnnouncedAgainIsShownAsItIsNow) {
  ASSERT_TRUE(queue().Announce(MakeCard("a"), 10s));
  clock_.Advance(9s);
  WorkerCard card = MakeCard("a");
  card.version = "1.3";
  ASSERT_TRUE(queue().Announce(card, 10s));
  clock_.Advance(9s);
  EXPECT_THAT(WorkerNames(), testing::ElementsAre("a"));
  EXPECT_EQ(queue().Workers()->front().version, "1.3");
}

TEST_P(TaskQueueContract, ADismissedWorkerIsNotShown) {
  ASSERT_TRUE(queue().Announce(MakeCard("a"), 10s));
  ASSERT_TRUE(queue().Announce(MakeCard("b"), 10s));
  EXPECT_TRUE(queue().Withdraw("a"));
  EXPECT_TRUE(queue().Withdraw("a"));
  EXPECT_THAT(WorkerNames(), testing::ElementsAre("b"));
}

TEST_P(TaskQueueContract, TheFeedTellsOfEveryEndInItsOrder) {
  EXPECT_EQ(*queue().LastSettled(), 0);
  Task late = MakeTask("expired");
  late.deadline = clock_.Wall() + 10s;
  Push(late);
  Push(MakeTask("cancelled", -1));
  ASSERT_TRUE(queue().Cancel("cancelled"));
  Push(MakeTask("evaluated", 1));
  ASSERT_TRUE(queue().Settle(Take().lease, MakeEvaluation("evaluated")));
  Task fragile = MakeTask("abandoned", 1);
  fragile.max_attempts = 1;
  Push(fragile);
  ASSERT_TRUE(queue().Return(Take().lease, "a fault"));
  clock_.Advance(10s);
  EXPECT_THAT(Feed(), testing::ElementsAre("cancelled", "evaluated", "abandoned", "expired"));
  const auto settled = queue().SettledAfter(0, 100, kNow);
  for (std::size_t i = 1; i < settled->size(); ++i) {
    EXPECT_LT((*settled)[i - 1].sequence, (*settled)[i].sequence);
  }
  EXPECT_EQ(*queue().LastSettled(), settled->back().sequence);
}

TEST_P(TaskQueueContract, TheFeedGoesOnWhereItsReaderWas) {
  for (const TaskId id : {"a", "b", "c", "d"}) Finish(id);
  const auto first = queue().SettledAfter(0, 2, kNow);
  EXPECT_THAT(IdsIn(first), testing::ElementsAre("a", "b"));
  EXPECT_THAT(Feed(first->back().sequence, 1), testing::ElementsAre("c"));
  EXPECT_THAT(Feed(*queue().LastSettled()), testing::IsEmpty());
  ASSERT_TRUE(queue().Cancel("a"));  // Settled things do not settle again.
  EXPECT_THAT(Feed(first->back().sequence), testing::ElementsAre("c", "d"));
}

TEST_P(TaskQueueContract, TheFeedIsReadBackwardsToo) {
  constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(IdsIn(queue().SettledBefore(kEnd, 10)), testing::IsEmpty());
  for (const TaskId id : {"a", "b", "c", "d"}) Finish(id);
  const auto newest = queue().SettledBefore(kEnd, 3);
  ASSERT_THAT(IdsIn(newest), testing::ElementsAre("d", "c", "b"));
  EXPECT_EQ(newest->front().sequence, *queue().LastSettled());
  EXPECT_THAT(Feed(newest->back().sequence), testing::ElementsAre("c", "d"));
  const auto oldest = queue().SettledBefore(newest->back().sequence, 3);
  ASSERT_THAT(IdsIn(oldest), testing::ElementsAre("a"));
  EXPECT_THAT(IdsIn(queue().SettledBefore(oldest->back().sequence, 3)), testing::IsEmpty());
  EXPECT_THAT(IdsIn(queue().SettledBefore(0, 3)), testing::IsEmpty());
  ASSERT_TRUE(queue().Forget("c"));
  EXPECT_THAT(IdsIn(queue().SettledBefore(kEnd, 3)), testing::ElementsAre("d", "b", "a"));
}

TEST_P(TaskQueueContract, TheFeedBackwardsTellsOfADeadlineThatRanOut) {
  Task late = MakeTask("late");
  late.deadline = clock_.Wall() + 10s;
  Push(late);
  clock_.Advance(10s);
  EXPECT_THAT(IdsIn(queue().SettledBefore(std::numeric_limits<std::uint64_t>::max(), 3)),
              testing::ElementsAre("late"));
}

TEST_P(TaskQueueContract, TheFeedWaitsAndIsWokenBySettleAndByCancel) {
  Push(MakeTask("a"));
  const Claim claim = Take();
  auto news = FeedInBackground(0);
  clock_.AwaitWaiters(1);
  ASSERT_TRUE(queue().Settle(claim.lease, MakeEvaluation("a")));
  EXPECT_THAT(news.get(), testing::ElementsAre("a"));
  Push(MakeTask("b"));
  news = FeedInBackground(*queue().LastSettled());
  clock_.AwaitWaiters(1);
  ASSERT_TRUE(queue().Cancel("b"));
  EXPECT_THAT(news.get(), testing::ElementsAre("b"));
}

TEST_P(TaskQueueContract, TheFeedIsWokenAtADeadlineThoughThereIsNoWorker) {
  auto news = FeedInBackground(0);
  clock_.AwaitWaiters(1);
  Task task = MakeTask("a");
  task.deadline = clock_.Wall() + 10s;
  Push(task);
  clock_.Advance(10s);
  EXPECT_THAT(news.get(), testing::ElementsAre("a"));
}

TEST_P(TaskQueueContract, TheFeedSleepsUntilTheDeadlineAndDoesNotPoll) {
  Task task = MakeTask("a");
  task.deadline = clock_.Wall() + 10s;
  Push(task);
  auto news = FeedInBackground(0);
  clock_.AwaitWaiters(1);
  EXPECT_EQ(clock_.LastWait(), 10s);
  clock_.Advance(10s);
  EXPECT_THAT(news.get(), testing::ElementsAre("a"));
}

TEST_P(TaskQueueContract, OneOfManyWhoWaitNoticesTheTimeForAll) {
  Task task = MakeTask("late");
  task.deadline = clock_.Wall() + 10s;
  task.needs.names = {"what nobody has"};
  Push(MakeTask("open"));
  Take({}, kLong);
  auto take = TakeInBackground();
  clock_.AwaitWaiters(1);
  auto await = AwaitInBackground("open");
  clock_.AwaitWaiters(2);
  auto news = FeedInBackground(0);
  clock_.AwaitWaiters(3);
  Push(task);
  auto late = AwaitInBackground("late");
  clock_.AwaitWaiters(4);
  queue().Wake();  // Whoever watched the time is gone; somebody else must do so.
  EXPECT_EQ(take.get().task.id, "");
  EXPECT_EQ(await.get(), "open");
  EXPECT_THAT(news.get(), testing::IsEmpty());
  EXPECT_EQ(late.get(), "open");
  late = AwaitInBackground("late");
  clock_.AwaitWaiters(1);
  std::stop_source stop;
  auto other = AwaitInBackground("open", stop.get_token());
  clock_.AwaitWaiters(2);
  news = FeedInBackground(0);
  clock_.AwaitWaiters(3);
  stop.request_stop();
  EXPECT_EQ(other.get(), "open");
  clock_.Advance(10s);
  EXPECT_EQ(late.get(), "expired");
  EXPECT_THAT(news.get(), testing::ElementsAre("late"));
}

TEST_P(TaskQueueContract, AReaderOfTheFeedCanBeStopped) {
  std::stop_source stop;
  auto stopped = FeedInBackground(0, stop.get_token());
  auto woken = FeedInBackground(0);
  clock_.AwaitWaiters(2);
  stop.request_stop();
  EXPECT_THAT(stopped.get(), testing::IsEmpty());
  queue().Wake();
  EXPECT_THAT(woken.get(), testing::IsEmpty());
}

TEST_P(TaskQueueContract, AForgottenTaskIsAsIfNeverPushed) {
  Finish("a");
  Finish("b");
  ASSERT_TRUE(queue().Forget("a"));
  EXPECT_EQ(queue().Look("a").error().code, Errc::kNotFound);
  EXPECT_EQ(queue().Await("a", kNow).error().code, Errc::kNotFound);
  EXPECT_EQ(queue().Cancel("a").error().code, Errc::kNotFound);
  EXPECT_EQ(queue().Forget("a").error().code, Errc::kNotFound);
  EXPECT_THAT(Feed(), testing::ElementsAre("b"));
  EXPECT_EQ(queue().Count()->settled, 1);
  Push(MakeTask("a", 7));  // Another body.
  EXPECT_EQ(Look("a").state, TaskState::kWaiting);
  EXPECT_EQ(Look("a").attempts, 0);
  const Claim claim = Take();
  EXPECT_EQ(claim.task, MakeTask("a", 7));
  ASSERT_TRUE(queue().Settle(claim.lease, MakeEvaluation("a", 2)));
  EXPECT_THAT(Feed(), testing::ElementsAre("b", "a"));
}

TEST_P(TaskQueueContract, ATaskThatIsNotSettledCannotBeForgotten) {
  Push(MakeTask("held"));
  const Claim claim = Take();
  Push(MakeTask("waiting"));
  EXPECT_EQ(queue().Forget("held").error().code, Errc::kStale);
  EXPECT_EQ(queue().Forget("waiting").error().code, Errc::kStale);
  EXPECT_TRUE(queue().Settle(claim.lease, MakeEvaluation("held")));
  EXPECT_EQ(Take().task.id, "waiting");
}

TEST_P(TaskQueueContract, NoLeaseFromBeforeATaskWasForgottenIsGoodForItsNamesake) {
  Push(MakeTask("a"));
  const Claim before = Take();
  ASSERT_TRUE(queue().Cancel("a"));
  ASSERT_TRUE(queue().Forget("a"));
  Push(MakeTask("a"));
  ExpectLost(before.lease);
  const Claim now = Take();
  ExpectLost(before.lease);
  EXPECT_TRUE(queue().Settle(now.lease, MakeEvaluation("a")));
}

TEST_P(TaskQueueContract, TheFeedOnlyRisesWhateverIsForgotten) {
  Finish("a");
  const std::uint64_t last = *queue().LastSettled();
  ASSERT_TRUE(queue().Forget("a"));
  EXPECT_GE(*queue().LastSettled(), last);
  Finish("b");
  EXPECT_GT(*queue().LastSettled(), last);
  EXPECT_THAT(Feed(last), testing::ElementsAre("b"));
}

TEST_P(TaskQueueContract, WhatWasSettledLongAgoIsForgottenAFewAtATime) {
  for (const TaskId id : {"a", "b", "c"}) Finish(id);
  Push(MakeTask("waiting", -1));
  Push(MakeTask("held"));
  const Claim held = Take({}, kLong);
  clock_.Advance(10s);
  const WallTime then = clock_.Wall();
  Finish("young");  // At this time, so not before it.
  EXPECT_EQ(*queue().ForgetSettledBefore(then, 2), 2);
  EXPECT_THAT(Feed(), testing::ElementsAre("c", "young"));
  EXPECT_EQ(*queue().ForgetSettledBefore(then, 2), 1);
  EXPECT_EQ(*queue().ForgetSettledBefore(then, 2), 0);
  EXPECT_THAT(Feed(), testing::ElementsAre("young"));
  EXPECT_EQ(queue().Look("c").error().code, Errc::kNotFound);
  EXPECT_EQ(EndOf("young"), "evaluated");
  EXPECT_TRUE(queue().Settle(held.lease, MakeEvaluation("held")));
  EXPECT_EQ(Take().task.id, "waiting");
}

TEST_P(TaskQueueContract, AnAbandonedTaskTellsHowOftenAndWhy) {
  Push(MakeTask("a"));
  for (int i = 0; i < 3; ++i) {
    Take();
    clock_.Advance(kLeaseDuration);
  }
  EXPECT_EQ(ReasonOf("a"),
            "abandoned after 3 attempts; the last: its worker w let the lease run out");
}

TEST_P(DurableQueueContract, AQueueOpenedAgainHasItsOrderItsFeedAndItsWorkers) {
  Finish("settled");
  const WallTime start = clock_.Wall();
  Push(MakeTask("old"));
  clock_.Advance(1s);
  Push(MakeTask("high", 1));
  ASSERT_TRUE(queue().Announce(MakeCard("w"), kLeaseDuration));
  Push(MakeTask("forgotten", 5));
  const Claim before = Take();
  ASSERT_TRUE(queue().Cancel("forgotten"));
  ASSERT_TRUE(queue().Forget("forgotten"));
  queue_.reset();
  queue_ = MakeQueue();
  EXPECT_THAT(Feed(), testing::ElementsAre("settled"));
  EXPECT_THAT(WorkerNames(), testing::ElementsAre("w"));
  EXPECT_EQ(Look("old").pushed, start);
  EXPECT_EQ(Look("old").ahead, 1);
  Push(MakeTask("forgotten", 5));
  EXPECT_EQ(Take().task.id, "forgotten");
  ExpectLost(before.lease);
  EXPECT_EQ(Take().task.id, "high");
  EXPECT_EQ(Look("high").worker, "w");
}

TEST_P(DurableQueueContract, TwoQueuesInOneFolderShareTheFeedAndTheWorkers) {
  const std::unique_ptr<TaskQueue> other = MakeQueue();
  ASSERT_TRUE(other->Announce(MakeCard("there"), kLeaseDuration));
  EXPECT_THAT(WorkerNames(), testing::ElementsAre("there"));
  auto news = FeedInBackground(0);
  clock_.AwaitWaiters(1);
  ASSERT_TRUE(other->Push(MakeTask("a")));
  ASSERT_TRUE(other->Cancel("a"));
  EXPECT_THAT(news.get(), testing::ElementsAre("a"));
}

TEST_P(DurableQueueContract, SeveralTasksPushedByAnotherQueueWakeAsManyWorkers) {
  const std::unique_ptr<TaskQueue> other = MakeQueue();
  std::vector<std::future<Claim>> takes;
  for (int i = 0; i < 3; ++i) takes.push_back(TakeInBackground());
  clock_.AwaitWaiters(3);
  for (const TaskId id : {"a", "b", "c"}) ASSERT_TRUE(other->Push(MakeTask(id)));
  std::vector<TaskId> taken;
  for (auto& take : takes) taken.push_back(take.get().task.id);
  EXPECT_THAT(taken, testing::UnorderedElementsAre("a", "b", "c"));
}

}  // namespace hone
