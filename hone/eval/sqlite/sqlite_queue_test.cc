// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite/sqlite_queue.h"

#include <fstream>

#include "hone/base/file.h"
#include "hone/base/sqlite/sqlite.h"
#include "hone/eval/queue/task_queue_contract.h"
#include "hone/testing/fake_clock.h"

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

// The file was written by the last build with version 1 of the tables, by workers that were killed.
TEST_F(SqliteQueueTest, AFileOfVersion1KeepsItsTasksItsOrderAndItsEvaluations) {
  {
    const auto dump = ReadFile(HONE_QUEUE_VERSION_1);
    ASSERT_TRUE(dump) << dump.error().message;
    auto database = Database::Open(path());
    ASSERT_TRUE(database) << database.error().message;
    const auto restored = database->Execute(*dump);
    ASSERT_TRUE(restored) << restored.error().message;
  }
  FakeClock clock(SystemClock().Wall());  // Beyond the leases of then.
  const auto queue = MakeIn(clock, folder_->path());
  std::vector<TaskId> feed;
  const auto settled = queue->SettledAfter(0, 100, {});
  ASSERT_TRUE(settled) << settled.error().message;
  for (const Settled& one : *settled) feed.push_back(one.task);
  EXPECT_THAT(feed, testing::ElementsAre("7/0", "7/1", "7/2", "7/3", "7/15"));
  const auto first = queue->Await("7/0", {});
  ASSERT_TRUE(first && *first);
  EXPECT_TRUE(std::holds_alternative<Evaluation>((*first)->end));
  EXPECT_EQ(queue->Count()->settled, 5);
  const auto dropped = queue->Await("7/3", {});
  EXPECT_EQ(std::get<Settlement::Drop>((*dropped)->end).why, Dropped::kCancelled);
  ASSERT_TRUE(queue->Push(MakeTask("new")));
  std::vector<TaskId> order;
  while (order.size() < 9) {
    const auto claim = queue->Take({}, std::chrono::hours{1}, {});
    ASSERT_TRUE(claim) << claim.error().message;
    if (!*claim) break;
    order.push_back((*claim)->task.id);
  }
  EXPECT_THAT(order, testing::ElementsAre("waiting-2", "7/10", "7/21", "waiting-1", "new"));
  EXPECT_EQ(*queue->ForgetSettledBefore(clock.Wall() + std::chrono::hours{1}, 100), 5);
}

TEST_F(SqliteQueueTest, AQueryPlanUsesTheIndexes) {
  const auto queue = MakeIn(clock_, folder_->path());
  auto database = Database::Open(path());
  ASSERT_TRUE(database);
  const std::map<std::string, std::string> plans = {
      {"SELECT body FROM queue_tasks WHERE state = 'waiting' AND owner = '' AND class = 1 "
       "ORDER BY rank_us, sequence LIMIT 1",
       "queue_tasks_waiting"},
      {"SELECT 1 FROM queue_tasks WHERE state = 'waiting' AND owner = '' AND class = 1 AND "
       "(rank_us, sequence) < (5, 7) LIMIT 10",
       "COVERING INDEX queue_tasks_waiting"},
      {"SELECT id FROM queue_tasks WHERE settled_sequence IS NOT NULL AND settled_sequence > 7 "
       "ORDER BY settled_sequence LIMIT 10",
       "queue_tasks_settled"},
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
