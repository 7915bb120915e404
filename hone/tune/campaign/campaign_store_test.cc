// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "hone/base/temp_dir.h"
#include "hone/eval/sqlite/sqlite_queue.h"
#include "hone/testing/fake_clock.h"
#include "hone/testing/test_machine.h"

namespace hone::tune {
namespace {

CampaignStart TestStart() {
  CampaignStart start;
  start.spec.domain = "toy";
  start.spec.options = {{"noise", "0.05"}};
  start.spec.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  start.spec.rule.limits = {{"latency_ms", true, 20, false}};
  start.spec.seed = 18'446'744'073'709'551'615ULL;
  start.space = *Space::Make({{"a", IntegerRange{0, 10}, std::int64_t{3}, "kB", "", {}, {}}});
  start.baseline = {start.space.Defaults(), ""};
  start.needs = {{"root"}, 0};
  start.machine = {{"kernel", "6.1"}};
  start.version = "0.1.0";
  return start;
}

Verdict TestVerdict() {
  Verdict verdict;
  verdict.kind = Verdict::Kind::kGain;
  verdict.reason = "The winner beat the baseline on fresh runs.";
  verdict.proof = Proof{};
  verdict.proof->candidate = {{{"a", std::int64_t{7}}}, ""};
  verdict.proof->reward = {0.1, {0.05, 0.15}, 0.001, 12};
  verdict.proof->objectives = {{"throughput", verdict.proof->reward}};
  verdict.proof->limits = {{{"latency_ms", true, 20, false}, verdict.proof->reward, true}};
  verdict.proof->is_gain = true;
  verdict.effects = {{"a", "3", "7", {0.1, {}, 1, 3}}};
  verdict.dropped = {"b"};
  verdict.notes = {"note"};
  return verdict;
}

class CampaignStoreTest : public testing::Test {
 protected:
  std::filesystem::path File() const { return folder_->path() / "hone.db"; }
  CampaignStore Open() const {
    auto store = CampaignStore::Open(File(), SystemClock());
    EXPECT_TRUE(store) << store.error().message;
    return std::move(*store);
  }

  Result<TempDir> folder_ = TempDir::Make("campaign-store");
};

TEST_F(CampaignStoreTest, CampaignComesBackAsItWasStored) {
  const std::string id = Open().Create(TestStart()).value();
  EXPECT_EQ(id, "toy-1");
  auto store = Open();
  const auto campaign = store.Find(id);
  ASSERT_TRUE(campaign) << campaign.error().message;
  EXPECT_EQ(campaign->state, CampaignState::kUnfinished);
  EXPECT_EQ(Dump(ToJson(campaign->start.spec)), Dump(ToJson(TestStart().spec)));
  EXPECT_EQ(campaign->start.baseline, TestStart().baseline);
  EXPECT_EQ(campaign->start.needs, TestStart().needs);
  EXPECT_EQ(campaign->start.machine, TestStart().machine);
  EXPECT_EQ(campaign->start.space.parameters().at(0).unit, "kB");
}

TEST_F(CampaignStoreTest, AnIdBeginsWithTheNameAsFarAsAFileNameMay) {
  auto store = Open();
  CampaignStart start = TestStart();
  start.name = "redis";
  EXPECT_EQ(store.Create(start).value(), "redis-1");
  start.name = "../my nightly  benchmark of the whole shop";
  EXPECT_EQ(store.Create(start).value(), "my-nightly-benchmark-of-2");
  start.name = "//";
  EXPECT_EQ(store.Create(start).value(), "toy-3");
  EXPECT_EQ(store.Find("redis-1")->start.name, "redis");
}

TEST_F(CampaignStoreTest, WhatASubmitterStartedIsThereForNoOtherOne) {
  auto store = Open();
  const std::string open = store.Create(TestStart()).value();
  CampaignStart start = TestStart();
  start.submitter = "ada";
  const std::string owned = store.Create(start).value();
  const CampaignAsker ada{"ada", false};
  const CampaignAsker bob{"bob", false};
  EXPECT_EQ(store.Find(owned, ada)->start.submitter, "ada");
  EXPECT_EQ(store.Find("last", ada)->id, owned);
  EXPECT_EQ(store.List(ada)->size(), 2U);
  EXPECT_EQ(store.Find("last", bob)->id, open);
  EXPECT_EQ(store.List(bob)->size(), 1U);
  const auto refused = store.Find(owned, bob);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kNotFound);
  EXPECT_EQ(refused.error().message, "campaign toy-2: no such campaign; hone runs lists them");
  EXPECT_EQ(store.Find("last")->id, owned) << "who has the file has all of it";
  EXPECT_EQ(store.List()->size(), 2U);
}

TEST_F(CampaignStoreTest, ALabelIsKeptUntilItIsEmpty) {
  auto store = Open();
  const std::string id = store.Create(TestStart()).value();
  ASSERT_TRUE(store.SetLabel(id, {"new disk", "since noon"}));
  const auto labels = Open().Labels();
  ASSERT_TRUE(labels && labels->contains(id));
  EXPECT_EQ(labels->at(id).label, "new disk");
  EXPECT_EQ(labels->at(id).note, "since noon");
  ASSERT_TRUE(store.SetLabel(id, {}));
  EXPECT_TRUE(store.Labels()->empty());
  EXPECT_FALSE(store.SetLabel("toy-9", {"none", ""}));
}

TEST_F(CampaignStoreTest, AForgottenCampaignLeavesNothingAndItsNumberIsNotUsedAgain) {
  auto store = Open();
  const std::string id = store.Create(TestStart()).value();
  ASSERT_TRUE(store.SetLabel(id, {"old", ""}));
  ASSERT_TRUE(store.Append(id, 0, {"ask", 1, 2}));
  ASSERT_TRUE(store.KeepPolicy(id, "policy"));
  ASSERT_TRUE(store.Forget(id));
  EXPECT_EQ(store.Find(id).error().code, Errc::kNotFound);
  EXPECT_TRUE(store.Decisions(id)->empty());
  EXPECT_TRUE(store.Labels()->empty());
  EXPECT_EQ(store.Policy(id)->has_value(), false);
  EXPECT_EQ(store.Create(TestStart()).value(), "toy-2");
}

TEST_F(CampaignStoreTest, VerdictComesBackAsItWasStored) {
  auto store = Open();
  const std::string id = store.Create(TestStart()).value();
  ASSERT_TRUE(store.Finish(id, TestVerdict()));
  const auto campaign = Open().Find(id);
  ASSERT_TRUE(campaign);
  EXPECT_EQ(campaign->state, CampaignState::kDone);
  ASSERT_TRUE(campaign->verdict);
  EXPECT_EQ(Dump(ToJson(*campaign->verdict)), Dump(ToJson(TestVerdict())));
}

TEST_F(CampaignStoreTest, TheLastPolicyComesBack) {
  auto store = Open();
  const std::string id = store.Create(TestStart()).value();
  EXPECT_FALSE(store.Policy(id).value());
  ASSERT_TRUE(store.KeepPolicy(id, "{\"after\":6}"));
  ASSERT_TRUE(store.KeepPolicy(id, "{\"after\":12}"));
  EXPECT_EQ(Open().Policy(id).value(), "{\"after\":12}");
  EXPECT_FALSE(store.Policy("toy-9").value());
}

TEST_F(CampaignStoreTest, AFileOfABuildWithoutPoliciesGetsThemWhenItIsWritten) {
  std::string id;
  {
    auto store = Open();
    id = store.Create(TestStart()).value();
    auto database = Database::Open(File());
    ASSERT_TRUE(database);
    ASSERT_TRUE(
        database->Execute("DROP TABLE labels; DROP TABLE policies; UPDATE hone_schema SET version "
                          "= 2 WHERE module = 'campaigns'"));
  }
  auto reading = CampaignStore::Open(File(), SystemClock(), Database::Mode::kReadOnly);
  ASSERT_TRUE(reading);
  const auto none = reading->Policy(id);
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_FALSE(*none);
  auto store = Open();
  ASSERT_TRUE(store.KeepPolicy(id, "{}"));
  EXPECT_EQ(store.Policy(id).value(), "{}");
  EXPECT_TRUE(store.Find(id));
}

TEST_F(CampaignStoreTest, WhatAnOlderBuildQueuedForACampaignIsTheCampaigns) {
  const std::string id = Open().Create(TestStart()).value();
  FakeClock clock;
  Task task;
  task.domain = "toy";
  task.order = {Arm::kCandidate};
  {
    auto queue = MakeSqliteQueue(File(), clock);
    ASSERT_TRUE(queue);
    for (const std::string& name : {id + "/gate", id + "9/gate", std::string("of a client")}) {
      task.id = name;
      ASSERT_TRUE((*queue)->Push(task));
    }
    auto database = Database::Open(File());
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->Execute(
        "DROP TABLE labels; UPDATE hone_schema SET version = 3 WHERE module = 'campaigns'"));
  }
  ASSERT_TRUE(Open().Find(id));
  auto queue = MakeSqliteQueue(File(), clock);
  ASSERT_TRUE(queue);
  task.id = id + "/gate";
  task.owner = id;
  EXPECT_TRUE((*queue)->Push(task));  // The same task, as a build that names owners pushes it.
  const auto claim = (*queue)->Take({"w", {}, {id}}, std::chrono::seconds(5), {});
  ASSERT_TRUE(claim && *claim);
  EXPECT_EQ((*claim)->task, task);
  EXPECT_FALSE(*(*queue)->Take({"w", {}, {id, id + "9"}}, std::chrono::seconds(5), {}));
}

// As the first build made it.
class OldStoreTest : public CampaignStoreTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Open().Create(TestStart()));
    auto database = Database::Open(File());
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->Execute(
        "DROP TABLE labels; DROP TABLE policies; ALTER TABLE campaigns DROP COLUMN aftermath;"
        "UPDATE hone_schema SET version = 1 WHERE module = 'campaigns'"));
  }
};

TEST_F(OldStoreTest, IsBroughtUpToDateByWhoOnlyReads) {
  auto reading = CampaignStore::Open(File(), SystemClock(), Database::Mode::kReadOnly);
  ASSERT_TRUE(reading) << reading.error().message;
  const auto campaigns = reading->List();
  ASSERT_TRUE(campaigns) << campaigns.error().message;
  EXPECT_EQ(campaigns->size(), 1U);
}

TEST_F(OldStoreTest, SaysWhatToDoWhereItCannotBeWritten) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to read as nobody";
  namespace fs = std::filesystem;
  fs::permissions(File().parent_path(), fs::perms{0555});
  fs::permissions(File(), fs::perms{0444});
  const AsNobody nobody;
  const auto reading = CampaignStore::Open(File(), SystemClock(), Database::Mode::kReadOnly);
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().code, Errc::kUnsupported);
  EXPECT_NE(reading.error().message.find("an older Hone wrote it"), std::string::npos)
      << reading.error().message;
}

TEST_F(CampaignStoreTest, LookingWhetherACampaignRunsIsInNobodysWay) {
  auto store = Open();
  const std::string id = store.Create(TestStart()).value();
  EXPECT_FALSE(store.IsRunning(id));
  const std::jthread looker([&](const std::stop_token& stop) {
    const auto other = Open();
    while (!stop.stop_requested()) {
      static_cast<void>(other.IsRunning(id));
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 100; ++i) {
    const auto lock = store.Lock(id);
    ASSERT_TRUE(lock) << lock.error().message;
    EXPECT_TRUE(store.IsRunning(id));
  }
}

TEST_F(CampaignStoreTest, EveryChangeRingsTheBell) {
  auto store = Open();
  std::mutex mutex;
  std::condition_variable changed;
  int rings = 0;
  const auto change_signal = WatchChanges(ChangeSignalOf(File()), [&] {
    const std::lock_guard lock(mutex);
    ++rings;
    changed.notify_all();
  });
  ASSERT_TRUE(change_signal);
  const auto heard = [&] {
    std::unique_lock lock(mutex);
    const bool is_heard =
        changed.wait_for(lock, std::chrono::seconds{10}, [&] { return rings > 0; });
    rings = 0;
    return is_heard;
  };
  const std::string id = store.Create(TestStart()).value();
  EXPECT_TRUE(heard());
  ASSERT_TRUE(store.Append(id, 0, {"ask", {{"trial", 0}}, {}}));
  EXPECT_TRUE(heard());
  ASSERT_TRUE(store.Finish(id, TestVerdict()));
  EXPECT_TRUE(heard());
}

TEST_F(CampaignStoreTest, DecisionsComeBackInOrderAndTheLedgerGoesOn) {
  auto store = Open();
  const std::string id = store.Create(TestStart()).value();
  auto ledger = store.OpenLedger(id);
  ASSERT_TRUE(ledger);
  ASSERT_TRUE(ledger->Record({"ask", {{"trial", 0}}, {}}));
  ASSERT_TRUE(ledger->Record({"race", {{"trial", 0}}, {{"p", 0.1}}}));

  auto again = Open();
  auto walked = again.OpenLedger(id);
  ASSERT_TRUE(walked);
  EXPECT_EQ(walked->decisions().size(), 2U);
  ASSERT_TRUE(walked->Record({"ask", {{"trial", 0}}, {}}));
  ASSERT_TRUE(walked->Record({"race", {{"trial", 0}}, {}}));
  ASSERT_TRUE(walked->Record({"stop", {}, {}}));
  EXPECT_EQ(again.Decisions(id)->size(), 3U);
}

TEST_F(CampaignStoreTest, LastIsTheNewestAndListBeginsWithIt) {
  auto store = Open();
  EXPECT_EQ(store.Find("last").error().code, Errc::kNotFound);
  ASSERT_TRUE(store.Create(TestStart()));
  ASSERT_TRUE(store.Create(TestStart()));
  EXPECT_EQ(store.Find("last")->id, "toy-2");
  const auto all = store.List();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(all->front().id, "toy-2");
  EXPECT_EQ(store.Find("toy-9").error().message,
            "campaign toy-9: no such campaign; hone runs lists them");
}

TEST_F(CampaignStoreTest, OneProcessAtATimeHoldsACampaign) {
  auto store = Open();
  const std::string id = store.Create(TestStart()).value();
  const auto lock = store.Lock(id);
  ASSERT_TRUE(lock) << lock.error().message;
  const auto second = store.Lock(id);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kStale);
}

TEST_F(CampaignStoreTest, DamagedRowIsCorruptAndNamesTheCampaign) {
  const std::string id = Open().Create(TestStart()).value();
  auto database = Database::Open(File());
  ASSERT_TRUE(database);
  ASSERT_TRUE(database->Execute("UPDATE campaigns SET start = '{\"spec\": 7}'"));
  const auto campaign = Open().Find(id);
  ASSERT_FALSE(campaign);
  EXPECT_EQ(campaign.error().code, Errc::kCorrupt);
  EXPECT_NE(campaign.error().message.find("campaign toy-1"), std::string::npos);
}

}  // namespace
}  // namespace hone::tune
