// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite/evaluation_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hone/base/temp_dir.h"
#include "hone/eval/sqlite/sqlite_queue.h"
#include "hone/testing/fake_clock.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

Evaluation MakeEvaluation(const TaskId& id) {
  Evaluation evaluation;
  evaluation.task = id;
  for (const Arm arm : {Arm::kBaseline, Arm::kCandidate}) {
    Sample sample;
    sample.arm = arm;
    sample.metrics = {{"score", {arm == Arm::kBaseline ? 1.5 : 2.5, 0.1, 3}}, {"p99", {7, 0, 1}}};
    sample.started = WallTime{1'700'000'000s};
    sample.duration = 20ms;
    evaluation.samples.push_back(sample);
  }
  return evaluation;
}

class EvaluationStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    auto queue = MakeSqliteQueue(path(), clock_);
    ASSERT_TRUE(queue) << queue.error().message;
    queue_ = std::move(*queue);
  }

  std::filesystem::path path() const { return folder_->path() / "hone.db"; }

  void Settle(const TaskId& id) {
    Task task;
    task.id = id;
    ASSERT_TRUE(queue_->Push(task));
    const auto claim = queue_->Take({}, 1s, 0s);
    ASSERT_TRUE(claim && *claim);
    ASSERT_TRUE(queue_->Settle((*claim)->lease, MakeEvaluation(id)));
  }

  std::vector<TaskId> IdsIn(std::string_view prefix) {
    std::vector<TaskId> ids;
    auto store = EvaluationStore::Open(path());
    EXPECT_TRUE(store) << store.error().message;
    const auto visited = store->ForEachAfter(
        prefix, 0, [&](const Evaluation& evaluation, const Task&) -> Result<void> {
          ids.push_back(evaluation.task);
          return {};
        });
    EXPECT_TRUE(visited) << visited.error().message;
    return ids;
  }

  Result<TempDir> folder_ = TempDir::Make("store");
  FakeClock clock_;
  std::unique_ptr<TaskQueue> queue_;
};

TEST_F(EvaluationStoreTest, FindsWhatTheQueueSettledWhileTheQueueIsOpen) {
  auto store = EvaluationStore::Open(path());
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_FALSE(store->Find("a")->has_value());
  Settle("a");
  const auto found = store->Find("a");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(**found, MakeEvaluation("a"));
}

TEST_F(EvaluationStoreTest, ListsByPrefixInTheOrderOfSettling) {
  for (const TaskId id : {"run1/2", "run10/1", "run1/1", "run1", "run2/1", "run1/ä"}) Settle(id);
  EXPECT_THAT(IdsIn("run1/"), ElementsAre("run1/2", "run1/1", "run1/ä"));
  EXPECT_THAT(IdsIn(""), ElementsAre("run1/2", "run10/1", "run1/1", "run1", "run2/1", "run1/ä"));
  EXPECT_THAT(IdsIn("run3"), IsEmpty());
}

TEST_F(EvaluationStoreTest, AnErrorOfTheVisitorEndsTheListing) {
  Settle("a");
  Settle("b");
  auto store = EvaluationStore::Open(path());
  ASSERT_TRUE(store);
  int visits = 0;
  const auto visited =
      store->ForEachAfter("", 0, [&](const Evaluation&, const Task&) -> Result<void> {
        ++visits;
        return Error{Errc::kUnavailable, "the pipe is closed"};
      });
  ASSERT_FALSE(visited);
  EXPECT_EQ(visited.error().message, "the pipe is closed");
  EXPECT_EQ(visits, 1);
}

TEST_F(EvaluationStoreTest, TheViewShowsEveryMetricOfEverySample) {
  Settle("a");
  auto database = Database::Open(path(), Database::Mode::kReadOnly);
  ASSERT_TRUE(database);
  auto rows = database->Prepare(
      "SELECT run, arm, started_us, duration_us, metric, value, spread, count "
      "FROM evaluation_samples WHERE task = 'a' AND metric = 'score' ORDER BY run");
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_TRUE(*rows->Step());
  EXPECT_EQ(rows->Integer(0), 0);
  EXPECT_EQ(rows->Text(1), "baseline");
  EXPECT_EQ(rows->Integer(2), 1'700'000'000'000'000);
  EXPECT_EQ(rows->Integer(3), 20'000);
  EXPECT_EQ(rows->Number(5), 1.5);
  ASSERT_TRUE(*rows->Step());
  EXPECT_EQ(rows->Text(1), "candidate");
  EXPECT_EQ(rows->Number(5), 2.5);
  EXPECT_EQ(rows->Number(6), 0.1);
  EXPECT_EQ(rows->Integer(7), 3);
  EXPECT_FALSE(*rows->Step());
}

TEST_F(EvaluationStoreTest, AFileWithoutAQueueIsNotFound) {
  const auto other = folder_->path() / "other.db";
  ASSERT_TRUE(Database::Open(other));
  EXPECT_EQ(EvaluationStore::Open(other).error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace hone
