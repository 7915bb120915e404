// SPDX-License-Identifier: Apache-2.0
#include "hone/server/environments/deferred_evaluation.h"

#include <gtest/gtest.h>

namespace hone::server {
namespace {

Task TaskNamed(const TaskId& id) {
  Task task;
  task.id = id;
  return task;
}

TEST(DeferredEvaluationTest, NotesWhatIsAskedAndFails) {
  DeferredEvaluation deferred;
  EXPECT_FALSE(deferred.TakeAsked());
  const auto evaluation = deferred.Evaluator()(TaskNamed("a"));
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().code, Errc::kUnavailable);
  const auto asked = deferred.TakeAsked();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->id, "a");
  EXPECT_FALSE(deferred.TakeAsked());
}

TEST(DeferredEvaluationTest, AnAnswerIsGivenOnce) {
  DeferredEvaluation deferred;
  Evaluation answer;
  answer.reason = "because";
  deferred.Answer(answer);
  const auto evaluation = deferred.Evaluator()(TaskNamed("a"));
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(evaluation->reason, "because");
  EXPECT_FALSE(deferred.TakeAsked());
  EXPECT_FALSE(deferred.Evaluator()(TaskNamed("b")));
}

TEST(DeferredEvaluationTest, AnAnswerThatWasNotAskedForIsNotGivenToTheNextQuestion) {
  DeferredEvaluation deferred;
  deferred.Answer({});
  deferred.Begin();
  EXPECT_FALSE(deferred.Evaluator()(TaskNamed("a")));
  EXPECT_TRUE(deferred.TakeAsked());
}

}  // namespace
}  // namespace hone::server
