// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite_queue.h"

#include <fstream>

#include "hone/base/sqlite.h"
#include "hone/eval/task_queue_contract.h"

namespace hone {
namespace {

std::unique_ptr<TaskQueue> MakeIn(Clock& clock, const std::filesystem::path& folder) {
  auto queue = MakeSqliteQueue(folder / "hone.db", clock);
  if (!queue) ADD_FAILURE() << queue.error().message;
  return queue ? std::move(*queue) : nullptr;
}

INSTANTIATE_TEST_SUITE_P(Sqlite, TaskQueueContract, testing::Values(QueueExam{MakeIn}));
INSTANTIATE_TEST_SUITE_P(Sqlite, DurableQueueContract, testing::Values(QueueExam{MakeIn}));

class SqliteQueueTest : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_->path() / "hone.db"; }

  static Task MakeTask(const TaskId& id) {
    Task task;
    task.id = id;
    task.order = {Arm::kCandidate};
    return task;
  }

  Result<TempDir> folder_ = TempDir::Make("queue");
  FakeClock clock_;
};

TEST_F(SqliteQueueTest, LivesBesideOtherTablesInOneFile) {
  {
    auto database = Database::Open(path());
    ASSERT_TRUE(database) << database.error().message;
    ASSERT_TRUE(database->Migrate("campaign", {"CREATE TABLE campaigns (id TEXT)"}));
  }
  const auto queue = MakeIn(clock_, folder_->path());
  EXPECT_TRUE(queue->Push(MakeTask("a")));
  auto database = Database::Open(path());
  ASSERT_TRUE(database);
  EXPECT_TRUE(database->Execute("INSERT INTO campaigns VALUES ('c')"));
}

TEST_F(SqliteQueueTest, ATaskTooLargeToBeReadBackIsRefused) {
  const auto queue = MakeIn(clock_, folder_->path());
  Task task = MakeTask("a");
  task.candidate.source.assign(17 << 20, 'x');
  const auto pushed = queue->Push(task);
  ASSERT_FALSE(pushed);
  EXPECT_EQ(pushed.error().code, Errc::kInvalidArgument);
}

TEST_F(SqliteQueueTest, AFileThatIsNoDatabaseIsAnErrorThatNamesIt) {
  std::ofstream(path()) << std::string(4096, 'x');
  const auto queue = MakeSqliteQueue(path(), clock_);
  ASSERT_FALSE(queue);
  EXPECT_EQ(queue.error().code, Errc::kCorrupt);
  EXPECT_THAT(queue.error().message, testing::HasSubstr("hone.db"));
}

TEST_F(SqliteQueueTest, AQueryPlanUsesTheIndexes) {
  const auto queue = MakeIn(clock_, folder_->path());
  auto database = Database::Open(path());
  ASSERT_TRUE(database);
  const std::map<std::string, std::string> plans = {
      {"SELECT body FROM queue_tasks WHERE state = 'waiting' AND class = 1 "
       "ORDER BY priority DESC, sequence LIMIT 1",
       "queue_tasks_waiting"},
      {"SELECT min(lease_end_us) FROM queue_tasks WHERE state = 'leased'", "queue_tasks_leased"},
      {"SELECT min(deadline_us) FROM queue_tasks "
       "WHERE deadline_us IS NOT NULL AND state IN ('waiting', 'leased')",
       "queue_tasks_deadline"}};
  for (const auto& [sql, index] : plans) {
    auto plan = database->Prepare("EXPLAIN QUERY PLAN " + sql);
    ASSERT_TRUE(plan) << plan.error().message;
    ASSERT_TRUE(*plan->Step());
    EXPECT_THAT(plan->Text(3), testing::HasSubstr(index));
    EXPECT_FALSE(*plan->Step()) << "it also does: " << plan->Text(3);
  }
}

}  // namespace
}  // namespace hone
