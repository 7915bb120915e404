// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/temp_dir.h"
#include "hone/core/check.h"
#include "hone/eval/redis/redis_queue.h"
#include "hone/testing/test_redis.h"
#include "hone/testing/wait_until.h"

// A Redis of one test's own, to which bad things can be done.
namespace hone {

class OwnRedisTest : public testing::Test {
 protected:
  void SetUp() override { Begin({"appendonly", "yes", "appendfsync", "always"}); }

  void Begin(std::vector<std::string> options) {
    redis_.reset();
    auto redis = TestRedis::Start(folder_->path(), std::move(options));
    if (!redis && redis.error().code == Errc::kUnsupported) GTEST_SKIP() << redis.error().message;
    ASSERT_TRUE(redis) << redis.error().message;
    redis_ = std::move(*redis);
    settings_.address = redis_->address();
    settings_.name = "q";
    settings_.reply_timeout = std::chrono::seconds(20);  // The machine may be busy.
    settings_.connect_timeout = std::chrono::seconds(20);
    settings_.heartbeat = std::chrono::milliseconds(200);
  }

  std::unique_ptr<TaskQueue> Open(Clock& clock = SystemClock()) const {
    auto queue = MakeRedisQueue(settings_, clock);
    HONE_CHECK(queue.has_value());
    return std::move(*queue);
  }

  static Task MakeTask(const TaskId& id) {
    Task task;
    task.id = id;
    task.order = {Arm::kCandidate};
    task.max_attempts = 1'000;
    return task;
  }

  static Evaluation MakeEvaluation(const TaskId& id, std::string worker = "w") {
    Evaluation evaluation;
    evaluation.task = id;
    evaluation.provenance.worker = std::move(worker);
    return evaluation;
  }

  static Claim Take(TaskQueue& queue, TaskQueue::Duration wait_timeout = TaskQueue::Duration{0},
                    std::stop_token stop = {}) {
    const auto taken =
        queue.Take({"w", {}}, std::chrono::minutes(1), wait_timeout, std::move(stop));
    if (!taken) ADD_FAILURE() << taken.error().message;
    return taken && *taken ? **taken : Claim{};
  }

  std::future<Claim> TakeInBackground(TaskQueue& queue) {
    return std::async(std::launch::async, [&] { return Take(queue, std::chrono::hours(1)); });
  }

  // "evaluated", the reason why it was dropped, "open", or the error.
  static std::string EndOf(TaskQueue& queue, const TaskId& id,
                           TaskQueue::Duration wait_timeout = TaskQueue::Duration{0}) {
    const auto end = queue.Await(id, wait_timeout);
    if (!end) return end.error().message;
    if (!*end) return "open";
    const auto* drop = std::get_if<Settlement::Drop>(&(*end)->end);
    return drop == nullptr ? "evaluated" : drop->reason;
  }

  // How many scripts, or commands of theirs, were run so far.
  long Calls(const std::string& command = "evalsha") const {
    const std::string stats = redis_->Do({"INFO", "commandstats"});
    const std::string start = "cmdstat_" + command + ":calls=";
    const auto place = stats.find(start);
    return place == std::string::npos ? 0 : std::stol(stats.substr(place + start.size()));
  }

  // For what others do: a Take that finds nothing has called "smembers", an Await "hmget".
  void AwaitCalls(const std::string& command, long count) const {
    WaitUntil([&] { return Calls(command) >= count; },
              command + " was called " + std::to_string(count) + " times");
  }

  Result<TempDir> folder_ = TempDir::Make("redis-own");
  std::unique_ptr<TestRedis> redis_;
  RedisSettings settings_;
};

}  // namespace hone
