// SPDX-License-Identifier: Apache-2.0
// The server, its workers and its Redis are killed at random under load. Every task is settled
// exactly once, none is lost, and no client is left hanging: clients ask again with the same id.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/http/http_client.h"
#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/base/temp_dir.h"
#include "hone/core/rng.h"
#include "hone/domains/toy/toy_domain.h"
#include "hone/testing/test_redis.h"
#include "tests/crash/killable.h"
#include "tests/crash/named_queue.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

const auto kMinTasks = static_cast<std::size_t>(NumberFromEnvironment("HONE_TASKS", 150));
constexpr int kClients = 8;
constexpr int kWorkers = 2;
constexpr milliseconds kWaitTimeout{20'000};  // Of one call.
constexpr std::chrono::minutes kHanging{4};   // A client that got nothing for so long hangs.

// A server, workers and, if the queue is in it, a Redis: each may be killed, and comes back.
class Service {
 public:
  // Use it only if this succeeds.
  Result<void> Start(const std::string& queue) {
    queue_ = queue;
    address_ = (folder_.path() / "service.db").string();
    if (queue == "redis") {
      auto redis = TestRedis::Start(folder_.path(), {"appendonly", "yes", "appendfsync", "always"});
      if (!redis) return redis.error();
      redis_ = std::move(*redis);
      address_ = redis_->address().Name();
    }
    server_ = StartServer("0");
    port_ = server_->ReadLine();
    for (int k = 0; k < kWorkers; ++k) workers_.push_back(StartWorker());
    return {};
  }

  const std::string& port() const { return port_; }
  Result<std::unique_ptr<TaskQueue>> Open() const { return OpenNamedQueue(queue_, address_); }

  // One of them: each once, the last first, then at random. Its name.
  std::string KillOne(Rng& rng) {
    const std::uint64_t victim = killed_ < parts() ? parts() - 1 - killed_ : rng.Below(parts());
    ++killed_;
    if (victim < kWorkers) {
      workers_[victim]->Kill();
      workers_[victim] = StartWorker();
      return "worker";
    }
    if (victim == kWorkers) {
      KillServer();
      return "server";
    }
    redis_->Kill();
    if (auto begun = redis_->Begin(); !begun) ADD_FAILURE() << begun.error().message;
    return "redis";
  }

  bool has_killed_each() const { return killed_ >= parts(); }

 private:
  std::uint64_t parts() const { return kWorkers + (redis_ ? 2 : 1); }

  void KillServer() {
    server_->Kill();
    // The port may be held for a moment by connections that are being closed.
    for (int tries = 0; tries < 200; ++tries) {
      server_ = StartServer(port_);
      if (!server_->ReadLine().empty()) return;
      std::this_thread::sleep_for(milliseconds{50});
    }
    ADD_FAILURE() << "the server does not come back";
  }

  std::unique_ptr<Killable> Process(const std::string& role, const std::string& last) const {
    return std::make_unique<Killable>(
        std::vector<std::string>{HONE_SERVICE_PROCESS, role, queue_, address_, last});
  }
  std::unique_ptr<Killable> StartServer(const std::string& port) const {
    return Process("serve", port);
  }
  std::unique_ptr<Killable> StartWorker() {
    auto worker = Process("work", fmt::format("worker-{}", ++started_));
    worker->ReadLine();
    return worker;
  }

  TempDir folder_ = *TempDir::Make("hone-crash");
  std::string queue_;
  std::string address_;
  std::unique_ptr<TestRedis> redis_;  // If the queue is in it.
  int started_ = 0;
  std::uint64_t killed_ = 0;
  std::string port_;
  std::unique_ptr<Killable> server_;
  std::vector<std::unique_ptr<Killable>> workers_;
};

const Json& BaselineOfToy() {
  static const Json baseline = [] {
    DomainTable table;
    table.emplace("toy", ToyDomainEntry());
    const auto domain = MakeDomain(table, "toy", {});
    return ToJson((*domain)->Baseline().assignment);
  }();
  return baseline;
}

// Asks until there is a verdict. False: it took too long.
bool Submit(const std::string& port, std::size_t number) {
  HttpCall call;
  call.url.host = "127.0.0.1";
  call.url.port = std::stoi(port);
  call.method = "POST";
  call.target = "/v1/tasks?wait_s=10";
  call.limits.total = kWaitTimeout;
  call.body = Dump({{"id", fmt::format("task-{}", number)},
                    {"domain", "toy"},
                    {"options", {{"duration_ms", "5"}}},
                    {"candidate", {{"assignment", BaselineOfToy()}}},
                    {"seed", number},
                    {"most_attempts", 20}});
  const auto end = SystemClock().Now() + kHanging;
  while (SystemClock().Now() < end) {
    const auto reply = CallHttp(call);
    if (reply && reply->status == 200) return true;
    if (reply && reply->status != 202 && reply->status != 503) {
      ADD_FAILURE() << reply->status << " " << reply->body;
      return false;
    }
    if (!reply) std::this_thread::sleep_for(milliseconds{20});
  }
  return false;
}

class ServiceCrashTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto started = service_.Start(GetParam());
    if (!started && started.error().code == Errc::kUnsupported) {
      GTEST_SKIP() << started.error().message;
    }
    ASSERT_TRUE(started) << started.error().message;
  }

  // Clients submit tasks while one part after the other is killed: all of them, and more until
  // each part was.
  void Rage() {
    std::atomic<bool> is_enough = false;
    std::atomic<int> busy = kClients;
    std::vector<std::jthread> clients;
    for (int c = 0; c < kClients; ++c) {
      clients.emplace_back([&] {
        while (tasks_ < kMinTasks || !is_enough) {
          if (!Submit(service_.port(), tasks_++)) ++hanging_;
        }
        --busy;
      });
    }
    Rng rng(20261115);
    while (busy > 0) {
      std::this_thread::sleep_for(milliseconds{100 + rng.Below(300)});
      if (busy > 0) ++kills_[service_.KillOne(rng)];
      is_enough = service_.has_killed_each();
    }
  }

  // All that was settled, each once.
  static std::set<TaskId> ReadFeed(TaskQueue& queue) {
    std::set<TaskId> settled;
    std::uint64_t sequence = 0;
    while (true) {
      const auto some = queue.SettledAfter(sequence, 1000, milliseconds{0});
      if (!some) ADD_FAILURE() << some.error().message;
      if (!some || some->empty()) return settled;
      for (const Settled& one : *some) {
        EXPECT_TRUE(settled.insert(one.task).second) << one.task << " was settled twice";
      }
      sequence = some->back().sequence;
    }
  }

  Service service_;
  std::atomic<std::size_t> tasks_ = 0;
  std::atomic<int> hanging_ = 0;
  std::map<std::string, int> kills_;
};

TEST_P(ServiceCrashTest, EveryTaskIsSettledOnceAndNoClientHangs) {
  Rage();
  EXPECT_EQ(hanging_, 0);
  EXPECT_GT(kills_["server"], 0);
  EXPECT_GT(kills_["worker"], 0);
  EXPECT_EQ(kills_["redis"] > 0, GetParam() == "redis");

  const auto queue = service_.Open();
  ASSERT_TRUE(queue) << queue.error().message;
  const std::set<TaskId> settled = ReadFeed(**queue);
  EXPECT_EQ(settled.size(), tasks_);
  EXPECT_EQ((*queue)->Count()->held, 0);
  EXPECT_TRUE((*queue)->Count()->waiting.empty());
  for (const TaskId& task : settled) {
    const auto end = (*queue)->Await(task, milliseconds{0});
    ASSERT_TRUE(end && *end) << task;
    EXPECT_TRUE(std::holds_alternative<Evaluation>((*end)->end)) << task;
  }
  std::cout << tasks_ << " tasks; killed:";
  for (const auto& [victim, count] : kills_) std::cout << " " << victim << " " << count;
  std::cout << "\n";
}

INSTANTIATE_TEST_SUITE_P(Queues, ServiceCrashTest, testing::Values("sqlite", "redis"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace hone
