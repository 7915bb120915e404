// SPDX-License-Identifier: Apache-2.0
// Many clients and workers of one queue, each a process, and the queue's server if it has one,
// killed at random under load: every task is settled exactly once, none is lost, and every client
// that lives gets its answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "hone/base/temp_dir.h"
#include "hone/core/rng.h"
#include "hone/testing/test_redis.h"
#include "tests/crash/killable.h"
#include "tests/crash/named_queue.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

const int kTasks = NumberFromEnvironment("HONE_TASKS", 200);
const int kKills = NumberFromEnvironment("HONE_KILLS", 20);
constexpr int kProducers = 3;
constexpr int kWorkers = 4;

class QueueStormTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder_) << folder_.error().message;
    address_ = (folder_->path() / "hone.db").string();
    if (GetParam() == "redis") StartRedis();
    if (IsSkipped() || HasFatalFailure()) return;
    auto queue = OpenNamedQueue(GetParam(), address_);
    ASSERT_TRUE(queue) << queue.error().message;
    queue_ = std::move(*queue);
  }

  void StartRedis() {
    auto redis = TestRedis::Start(folder_->path(), {"appendonly", "yes", "appendfsync", "always"});
    if (!redis && redis.error().code == Errc::kUnsupported) GTEST_SKIP() << redis.error().message;
    ASSERT_TRUE(redis) << redis.error().message;
    redis_ = std::move(*redis);
    address_ = redis_->address().Name();
  }

  std::string Log() const { return (folder_->path() / "log").string(); }

  std::unique_ptr<Killable> StartProducer(int number) const {
    const int each = kTasks / kProducers;
    const int first = number * each;
    const int count = number + 1 == kProducers ? kTasks - first : each;
    return Start("produce", std::to_string(first), std::to_string(count));
  }

  std::unique_ptr<Killable> StartWorker() {
    const std::string name = "w" + std::to_string(started_++);
    return Start("work", name, std::to_string(started_));
  }

  std::unique_ptr<Killable> Start(const std::string& verb, const std::string& one,
                                  const std::string& other) const {
    return std::make_unique<Killable>(std::vector<std::string>{
        HONE_QUEUE_STORM_PROCESS, verb, GetParam(), address_, Log(), one, other});
  }

  // Starts everybody, kills one after the other at random and starts it again, then waits for the
  // producers, who have been answered when they end.
  void Rage() {
    Rng rng(20'261'115);
    std::vector<std::unique_ptr<Killable>> producers;
    std::vector<std::unique_ptr<Killable>> workers;
    for (int i = 0; i < kProducers; ++i) producers.push_back(StartProducer(i));
    for (int i = 0; i < kWorkers; ++i) workers.push_back(StartWorker());
    for (int i = 0; i < kKills; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(rng.Below(60'000)));
      const int victims = kProducers + kWorkers + (redis_ ? 1 : 0);
      const auto victim = static_cast<int>(rng.Below(static_cast<std::uint64_t>(victims)));
      if (victim == kProducers + kWorkers) {
        redis_->Kill();
        ASSERT_TRUE(redis_->Begin());
      } else if (victim < kProducers) {
        producers[static_cast<std::size_t>(victim)]->Kill();
        producers[static_cast<std::size_t>(victim)] = StartProducer(victim);
      } else {
        auto& worker = workers[static_cast<std::size_t>(victim - kProducers)];
        worker->Kill();
        worker = StartWorker();
      }
    }
    for (auto& producer : producers) EXPECT_EQ(producer->Wait(), 0);
  }

  // Of each kind of line, the tasks and who settled them.
  std::map<std::string, std::multimap<TaskId, std::string>> ReadLog() const {
    std::map<std::string, std::multimap<TaskId, std::string>> lines;
    std::ifstream log(Log());
    for (std::string line; std::getline(log, line);) {
      std::istringstream words(line);
      std::string what;
      std::string task;
      std::string worker;
      words >> what >> task >> worker;
      lines[what].emplace(task, worker);
    }
    return lines;
  }

  std::string WorkerOf(const TaskId& id) {
    const auto settled = queue_->Await(id, 0s);
    if (!settled || !*settled) return "nobody";
    const auto* evaluation = std::get_if<Evaluation>(&(*settled)->end);
    return evaluation != nullptr ? evaluation->provenance.worker : "dropped";
  }

  // The feed as somebody sees it who was there all the time.
  void ReadFeed(const std::stop_token& stop) {
    std::uint64_t last = 0;
    while (std::ssize(feed_) < kTasks && !stop.stop_requested()) {
      const auto news = queue_->SettledAfter(last, 50, 24h, stop);
      ASSERT_TRUE(news) << news.error().message;
      for (const Settled& one : *news) {
        EXPECT_GT(one.sequence, last);
        last = one.sequence;
        EXPECT_TRUE(feed_.insert(one.task).second) << one.task << " came twice";
      }
    }
  }

  Result<TempDir> folder_ = TempDir::Make("queue-storm");
  std::string address_;
  std::unique_ptr<TestRedis> redis_;  // If the queue is in it.
  std::unique_ptr<TaskQueue> queue_;
  int started_ = 0;
  std::set<TaskId> feed_;
};

TEST_P(QueueStormTest, EveryTaskIsSettledOnceAndEveryWaiterAnswered) {
  std::jthread reader([this](const std::stop_token& stop) { ReadFeed(stop); });
  Rage();
  reader.request_stop();
  reader.join();
  EXPECT_EQ(feed_.size(), kTasks);

  auto lines = ReadLog();
  for (int i = 0; i < kTasks; ++i) {
    const TaskId id = "t" + std::to_string(i);
    const std::string worker = WorkerOf(id);
    EXPECT_TRUE(lines["pushed"].contains(id)) << id;
    EXPECT_TRUE(lines["answered"].contains(id)) << id;
    EXPECT_LE(lines["settled"].count(id), 1) << id << " was settled twice";
    for (const char* what : {"settled", "answered"}) {  // The same answer, whoever was told.
      for (auto [place, end] = lines[what].equal_range(id); place != end; ++place) {
        EXPECT_EQ(place->second, worker) << what << " " << id;
      }
    }
  }
  // A worker may be killed between its settling and the line that tells of it.
  EXPECT_GE(lines["settled"].size() + kKills + kWorkers, kTasks);
  const auto counts = queue_->Count();
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_TRUE(counts->waiting.empty());
  EXPECT_EQ(counts->held, 0);
  EXPECT_EQ(counts->settled, kTasks);
}

INSTANTIATE_TEST_SUITE_P(Queues, QueueStormTest, testing::Values("sqlite", "redis"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace hone
