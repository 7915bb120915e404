// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/redis/redis_queue.h"

#include "hone/eval/queue/task_queue_contract.h"
#include "hone/testing/test_redis.h"

namespace hone {
namespace {

// One server for all tests of this program; each has a queue of its own name in it.
Result<TestRedis*> Server() {
  static const Result<TempDir> folder = TempDir::Make("redis-queue");
  static const Result<std::unique_ptr<TestRedis>> redis =
      TestRedis::Start(folder->path(), {"appendonly", "yes", "appendfsync", "no"});
  if (!redis) return redis.error();
  return redis->get();
}

// The reason why there can be no Redis here, if so.
std::string WhyNot() {
  const auto server = Server();
  return !server && server.error().code == Errc::kUnsupported ? server.error().message : "";
}

RedisSettings SettingsFor(const std::string& name) {
  RedisSettings settings;
  const auto server = Server();
  if (!server) {
    ADD_FAILURE() << server.error().message;
    return settings;
  }
  settings.address = (*server)->address();
  settings.name = name;
  settings.is_time_from_clock = true;
  return settings;
}

std::unique_ptr<TaskQueue> MakeIn(Clock& clock, const std::filesystem::path& folder) {
  auto queue = MakeRedisQueue(SettingsFor(folder.filename()), clock);
  if (!queue) ADD_FAILURE() << queue.error().message;
  return queue ? std::move(*queue) : nullptr;
}

INSTANTIATE_TEST_SUITE_P(Redis, TaskQueueContract, testing::Values(QueueExam{MakeIn, WhyNot}));
INSTANTIATE_TEST_SUITE_P(Redis, DurableQueueContract, testing::Values(QueueExam{MakeIn, WhyNot}));

}  // namespace
}  // namespace hone
