// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/named_queue.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "hone/base/clock.h"
#include "hone/eval/redis/redis_queue.h"
#include "hone/eval/sqlite/sqlite_queue.h"

namespace hone {

namespace {

using namespace std::chrono_literals;

// The server may be killed while it is being opened.
Result<std::unique_ptr<TaskQueue>> OpenRedis(const std::string& address) {
  RedisSettings settings;
  Result<RedisAddress> parsed = ParseRedisUrl(address);
  if (!parsed) return parsed.error();
  settings.address = std::move(*parsed);
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (true) {
    auto queue = MakeRedisQueue(settings, SystemClock());
    const bool is_away = !queue && queue.error().code == Errc::kUnavailable;
    if (!is_away || std::chrono::steady_clock::now() > end) return queue;
    std::this_thread::sleep_for(20ms);
  }
}

}  // namespace

Result<std::unique_ptr<TaskQueue>> OpenNamedQueue(const std::string& name,
                                                  const std::string& address) {
  if (name == "sqlite") return MakeSqliteQueue(address, SystemClock());
  if (name == "redis") return OpenRedis(address);
  return Error{Errc::kNotFound, fmt::format("queue {}: there is no such queue", name)};
}

}  // namespace hone
