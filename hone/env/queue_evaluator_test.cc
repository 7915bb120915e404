// SPDX-License-Identifier: Apache-2.0
#include "hone/env/queue_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/env/toy_evaluator_for_test.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/eval/worker/worker_pool.h"

namespace hone::env {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr milliseconds kWaitTimeout{60'000};

Task TaskFor(const Domain& domain) {
  Task task;
  task.id = "t";
  task.domain = "toy";
  task.candidate = domain.Baseline();
  task.baseline = domain.Baseline();
  task.order = {Arm::kBaseline, Arm::kCandidate};
  task.max_attempts = 1;
  return task;
}

TEST(QueueEvaluatorTest, EnvironmentStepsTheSameThroughAQueueAsDirectly) {
  const Options options = {{"surface", "smooth"}};
  const auto domain = MakeToy(options);
  const auto queue = MakeMemoryQueue(SystemClock());
  WorkerPool::Settings pool;
  pool.make_watch = [] { return std::make_unique<BlindWatch>(); };
  pool.on_failure = [](const Error& error) { ADD_FAILURE() << error.message; };
  const WorkerPool workers(*queue, SystemClock(), ToyTable(), pool);

  DomainEnvironmentSettings settings;
  settings.options = options;
  settings.rule = ThroughputRule();
  const auto direct = MakeToyEnvironment(domain, settings);
  const auto queued =
      MakeDomainEnvironment(*domain, MakeQueueEvaluator(*queue, kWaitTimeout), settings);
  ASSERT_TRUE(queued) << queued.error().message;
  EXPECT_EQ(*direct->Reset(5), *(*queued)->Reset(5));
  for (int i = 0; i < 5; ++i) {
    const std::vector<double> action(direct->Facts().action_size, 0.2 * i);
    const auto here = direct->Step(action);
    const auto there = (*queued)->Step(action);
    ASSERT_TRUE(here && there);
    EXPECT_EQ(here->observation, there->observation);
    EXPECT_EQ(here->reward, there->reward);
  }
}

TEST(QueueEvaluatorTest, TaskThatNobodyTakesIsCancelledAndUnavailable) {
  const auto queue = MakeMemoryQueue(SystemClock());
  const auto evaluation = MakeQueueEvaluator(*queue, milliseconds{1})(TaskFor(*MakeToy({})));
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().code, Errc::kUnavailable);
  const auto settlement = queue->Await("t", milliseconds{0});
  ASSERT_TRUE(settlement && *settlement);
  EXPECT_EQ(std::get<Settlement::Drop>((*settlement)->end).why, Dropped::kCancelled);
}

TEST(QueueEvaluatorTest, DroppedTaskIsUnavailableWithTheReason) {
  const auto queue = MakeMemoryQueue(SystemClock());
  const Task task = TaskFor(*MakeToy({}));
  ASSERT_TRUE(queue->Push(task));
  const auto claim = queue->Take({}, kWaitTimeout, milliseconds{0});
  ASSERT_TRUE(claim && *claim);
  ASSERT_TRUE(queue->Return((*claim)->lease, "the machine is on fire"));
  const auto evaluation = MakeQueueEvaluator(*queue, kWaitTimeout)(task);
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().code, Errc::kUnavailable);
  EXPECT_THAT(evaluation.error().message, HasSubstr("the machine is on fire"));
}

}  // namespace
}  // namespace hone::env
