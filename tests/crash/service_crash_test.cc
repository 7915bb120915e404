// SPDX-License-Identifier: Apache-2.0
// The server and its workers are killed at random under load. Every task is settled exactly once,
// none is lost, and no client is left hanging: clients ask again with the same id.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/json.h"
#include "hone/base/records.h"
#include "hone/base/temp_dir.h"
#include "hone/core/rng.h"
#include "hone/domains/toy/toy_domain.h"
#include "hone/eval/sqlite_queue.h"
#include "hone/server/http_client.h"
#include "tests/crash/killable.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kTasks = HONE_TASKS;
constexpr int kClients = 8;
constexpr int kWorkers = 2;
constexpr milliseconds kPatience{20'000};    // Of one call.
constexpr std::chrono::minutes kHanging{4};  // A client that got nothing for so long hangs.

class Service {
 public:
  Service() : folder_(*TempDir::Make("hone-crash")) {
    server_ = StartServer("0");
    port_ = server_->ReadLine();
    for (int k = 0; k < kWorkers; ++k) workers_.push_back(StartWorker());
  }

  std::filesystem::path Store() const { return folder_.path() / "service.db"; }
  const std::string& port() const { return port_; }

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

  void KillWorker(std::size_t k) {
    workers_[k]->Kill();
    workers_[k] = StartWorker();
  }

 private:
  std::unique_ptr<Killable> StartServer(const std::string& port) const {
    return std::make_unique<Killable>(
        std::vector<std::string>{HONE_SERVICE_PROCESS, "serve", Store().string(), port});
  }
  std::unique_ptr<Killable> StartWorker() {
    auto worker = std::make_unique<Killable>(std::vector<std::string>{
        HONE_SERVICE_PROCESS, "work", Store().string(), fmt::format("worker-{}", ++started_)});
    worker->ReadLine();
    return worker;
  }

  TempDir folder_;
  int started_ = 0;
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
  call.url = {"127.0.0.1", port, "", ""};
  call.method = "POST";
  call.target = "/v1/tasks?wait_s=10";
  call.limit = kPatience;
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

TEST(ServiceCrashTest, EveryTaskIsSettledOnceAndNoClientHangs) {
  Service service;
  std::atomic<std::size_t> next = 0;
  std::atomic<int> hanging = 0;
  std::atomic<int> busy = kClients;
  std::vector<std::thread> clients;
  for (int c = 0; c < kClients; ++c) {
    clients.emplace_back([&] {
      for (std::size_t k = next++; k < kTasks; k = next++) {
        if (!Submit(service.port(), k)) ++hanging;
      }
      --busy;
    });
  }
  Rng rng(20261115);
  int kills = 0;
  while (busy > 0) {
    std::this_thread::sleep_for(milliseconds{100 + rng.Below(300)});
    if (busy == 0) break;
    const auto victim = rng.Below(kWorkers + 1);
    if (victim == kWorkers) {
      service.KillServer();
    } else {
      service.KillWorker(victim);
    }
    ++kills;
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(hanging, 0);
  EXPECT_GT(kills, 0);

  const auto queue = MakeSqliteQueue(service.Store(), SystemClock());
  ASSERT_TRUE(queue);
  std::set<TaskId> settled;
  std::uint64_t sequence = 0;
  while (true) {
    const auto some = (*queue)->SettledAfter(sequence, 1000, milliseconds{0});
    ASSERT_TRUE(some);
    if (some->empty()) break;
    for (const Settled& one : *some) {
      EXPECT_TRUE(settled.insert(one.task).second) << one.task << " was settled twice";
    }
    sequence = some->back().sequence;
  }
  EXPECT_EQ(settled.size(), kTasks);
  EXPECT_EQ((*queue)->Count()->held, 0);
  EXPECT_TRUE((*queue)->Count()->waiting.empty());
  for (const TaskId& task : settled) {
    const auto end = (*queue)->Await(task, milliseconds{0});
    ASSERT_TRUE(end && *end) << task;
    EXPECT_TRUE(std::holds_alternative<Evaluation>((*end)->end)) << task;
  }
  std::cout << kTasks << " tasks, " << kills << " kills\n";
}

}  // namespace
}  // namespace hone
