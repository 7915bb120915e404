// SPDX-License-Identifier: Apache-2.0
// The SQLite queue on a bad day: processes killed at any moment, a full disk, a read-only one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "hone/base/clock.h"
#include "hone/base/sqlite/sqlite.h"
#include "hone/base/temp_dir.h"
#include "hone/core/rng.h"
#include "hone/eval/sqlite/evaluation_store.h"
#include "hone/eval/sqlite/sqlite_queue.h"
#include "hone/testing/fake_clock.h"
#include "hone/testing/test_machine.h"
#include "tests/crash/killable.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Task MakeTask(const TaskId& id) {
  Task task;
  task.id = id;
  task.order = {Arm::kCandidate};
  return task;
}

class QueueCrashTest : public testing::Test {
 protected:
  std::filesystem::path File() const { return folder_->path() / "hone.db"; }

  std::unique_ptr<TaskQueue> Open(Clock& clock = SystemClock()) const {
    auto queue = MakeSqliteQueue(File(), clock);
    EXPECT_TRUE(queue) << queue.error().message;
    return queue ? std::move(*queue) : nullptr;
  }

  std::unique_ptr<Killable> Start(const std::string& verb, const std::string& last = "") const {
    return std::make_unique<Killable>(
        std::vector<std::string>{HONE_QUEUE_PROCESS, verb, File().string(), last});
  }

  static std::string WordsOf(Database& database, std::string_view sql) {
    auto query = database.Prepare(sql);
    if (!query) return query.error().message;
    std::string words;
    while (query->Step().value_or(false)) words += query->Text(0) + " ";
    return words;
  }

  void ExpectIntact() const {
    auto database = Database::Open(File());
    ASSERT_TRUE(database) << database.error().message;
    EXPECT_EQ(WordsOf(*database, "PRAGMA integrity_check"), "ok ");
    EXPECT_EQ(WordsOf(*database,
                      "SELECT id FROM queue_tasks WHERE (state = 'evaluated') != "
                      "(SELECT count(*) FROM evaluations WHERE task = id)"),
              "")
        << "evaluated and having one evaluation must be the same";
    EXPECT_EQ(WordsOf(*database,
                      "SELECT task FROM evaluations WHERE task NOT IN (SELECT id FROM "
                      "queue_tasks)"),
              "");
  }

  std::map<TaskId, std::string> States() const {
    auto database = Database::Open(File());
    EXPECT_TRUE(database) << database.error().message;
    auto query = database->Prepare("SELECT id, state FROM queue_tasks");
    std::map<TaskId, std::string> states;
    while (query->Step().value_or(false)) states[query->Text(0)] = query->Text(1);
    return states;
  }

  // Kills a process at a random moment after a random number of its steps, or while it starts.
  std::vector<std::string> ChurnUntilKilled(int seed, Rng& rng) const {
    const auto child = Start("churn", std::to_string(seed));
    std::vector<std::string> lines;
    const std::uint64_t steps = rng.Below(40);
    while (lines.size() < steps) lines.push_back(child->ReadLine());
    std::this_thread::sleep_for(std::chrono::microseconds(rng.Below(steps == 0 ? 50'000 : 1'000)));
    child->Kill();
    for (std::string line = child->ReadLine(); !line.empty(); line = child->ReadLine()) {
      lines.push_back(line);
    }
    return lines;
  }

  Result<TempDir> folder_ = TempDir::Make("queue-crash");
};

TEST_F(QueueCrashTest, APushInAnotherProcessWakesATake) {
  const auto queue = Open();
  const auto child = Start("push", "a");
  const auto claim = queue->Take({}, 1min, 24h);
  ASSERT_TRUE(claim && *claim);
  EXPECT_EQ((*claim)->task.id, "a");
}

TEST_F(QueueCrashTest, ASettleInAnotherProcessWakesAnAwait) {
  const auto queue = Open();
  ASSERT_TRUE(queue->Push(MakeTask("a")));
  const auto child = Start("work");
  const auto settled = queue->Await("a", 24h);
  ASSERT_TRUE(settled && *settled);
  EXPECT_TRUE(std::holds_alternative<Evaluation>((*settled)->end));
}

TEST_F(QueueCrashTest, AWorkerKilledInMidLeaseLosesNothing) {
  FakeClock clock(SystemClock().Wall());
  const auto queue = Open(clock);
  ASSERT_TRUE(queue->Push(MakeTask("a")));
  const auto child = Start("hold");
  ASSERT_EQ(child->ReadLine(), "taken a");
  child->Kill();
  const auto early = queue->Take({}, 1min, 0s);
  ASSERT_TRUE(early);
  EXPECT_FALSE(*early) << "its lease has not run out";
  clock.Advance(1h);
  const auto claim = queue->Take({}, 1min, 0s);
  ASSERT_TRUE(claim && *claim);
  EXPECT_EQ((*claim)->lease.generation, 2);
}

TEST_F(QueueCrashTest, ManyProcessesSettleEachTaskExactlyOnce) {
  constexpr int kTasks = 150;
  const auto queue = Open();
  std::vector<std::unique_ptr<Killable>> workers(3);
  for (auto& worker : workers) worker = Start("work");
  for (int i = 0; i < kTasks; ++i) ASSERT_TRUE(queue->Push(MakeTask(std::to_string(i))));
  for (int i = 0; i < kTasks; ++i) ASSERT_TRUE(queue->Await(std::to_string(i), 24h)->has_value());
  std::multiset<std::string> settled;
  for (auto& worker : workers) {
    worker->Kill();
    for (std::string line = worker->ReadLine(); !line.empty(); line = worker->ReadLine()) {
      if (line.starts_with("settled ")) settled.insert(line);
    }
  }
  // A worker may be killed between its last settling and the line that tells of it.
  EXPECT_GE(settled.size() + workers.size(), kTasks);
  EXPECT_EQ(settled.size(), std::set(settled.begin(), settled.end()).size());
  ExpectIntact();
}

TEST_F(QueueCrashTest, KilledAtAnyMomentNothingIsLostAndNothingIsSettledTwice) {
  constexpr int kKills = 120;
  Rng rng(20'261'115);
  std::set<TaskId> pushed;
  std::set<TaskId> settled;
  Open();
  for (int i = 0; i < kKills; ++i) {
    for (const std::string& line : ChurnUntilKilled(i, rng)) {
      const std::string id = line.substr(line.find(' ') + 1);
      if (line.starts_with("pushed ")) pushed.insert(id);
      if (line.starts_with("settled ")) {
        EXPECT_TRUE(settled.insert(id).second) << id << " was settled twice";
      }
    }
    ExpectIntact();
    const auto states = States();
    for (const TaskId& id : pushed) ASSERT_TRUE(states.contains(id)) << id << " was lost";
    for (const TaskId& id : settled) ASSERT_EQ(states.at(id), "evaluated") << id;
  }
  EXPECT_GT(pushed.size(), kKills);
  EXPECT_GT(settled.size(), kKills);

  // An hour later all leases have run out, and one worker can finish everything that is left.
  FakeClock clock(SystemClock().Wall() + 1h);
  const auto queue = Open(clock);
  while (true) {
    const auto claim = queue->Take({}, 1min, 0s);
    ASSERT_TRUE(claim) << claim.error().message;
    if (!*claim) break;
    EXPECT_FALSE(settled.contains((*claim)->task.id));
    Evaluation evaluation;
    evaluation.task = (*claim)->task.id;
    ASSERT_TRUE(queue->Settle((*claim)->lease, evaluation));
  }
  ExpectIntact();
  for (const auto& [id, state] : States()) {
    EXPECT_TRUE(state == "evaluated" || state == "abandoned" || state == "cancelled")
        << id << " is " << state;
  }
}

TEST_F(QueueCrashTest, AFullDiskIsAClearErrorAndNothingIsLost) {
  const auto disk = TinyDisk::Mount(folder_->path(), 4 << 20);
  if (!disk) GTEST_SKIP() << disk.error().message;
  const auto ballast = folder_->path() / "ballast";
  std::ofstream(ballast) << std::string(2 << 20, 'x');
  const auto queue = Open();
  Task task = MakeTask("");
  task.candidate.source.assign(10'000, 'y');
  Result<void> pushed;
  int count = 0;
  while (true) {
    task.id = std::to_string(count);
    pushed = queue->Push(task);
    if (!pushed) break;
    ++count;
  }
  EXPECT_GT(count, 10);
  EXPECT_EQ(pushed.error().code, Errc::kUnavailable);
  EXPECT_THAT(pushed.error().message, HasSubstr("hone.db: the disk is full"));
  ASSERT_TRUE(std::filesystem::remove(ballast));
  ExpectIntact();
  EXPECT_EQ(States().size(), count);
  EXPECT_TRUE(queue->Push(task)) << "there is room again";
  const auto claim = queue->Take({}, 1min, 0s);
  ASSERT_TRUE(claim && *claim);
  EXPECT_EQ((*claim)->task.id, "0");
}

TEST_F(QueueCrashTest, AReadOnlyDiskIsAClearErrorAndCanStillBeRead) {
  auto disk = TinyDisk::Mount(folder_->path(), 4 << 20);
  if (!disk) GTEST_SKIP() << disk.error().message;
  {
    const auto queue = Open();
    ASSERT_TRUE(queue->Push(MakeTask("a")));
    const auto claim = queue->Take({}, 1min, 0s);
    ASSERT_TRUE(claim && *claim);
    Evaluation evaluation;
    evaluation.task = "a";
    ASSERT_TRUE(queue->Settle((*claim)->lease, evaluation));
  }
  ASSERT_TRUE(disk->MakeReadOnly());
  const auto queue = MakeSqliteQueue(File(), SystemClock());
  ASSERT_FALSE(queue);
  EXPECT_EQ(queue.error().code, Errc::kUnsupported);
  EXPECT_THAT(queue.error().message, HasSubstr("hone.db"));
  auto store = EvaluationStore::Open(File());
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_TRUE(store->Find("a")->has_value());
}

}  // namespace
}  // namespace hone
