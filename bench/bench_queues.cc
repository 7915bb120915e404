// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_queues.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

#include "hone/base/clock.h"
#include "hone/base/file.h"
#include "hone/core/check.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/eval/redis/redis_queue.h"
#include "hone/eval/sqlite/sqlite_queue.h"

namespace hone {
namespace {

// The number behind `key` in what INFO or /proc tells; 0 if it is not there.
double NumberBehind(const std::string& text, std::string_view key) {
  const auto place = text.find(key);
  return place == std::string::npos ? 0 : std::atof(text.c_str() + place + key.size());
}

}  // namespace

std::vector<std::string> BenchQueue::Names() {
  std::vector<std::string> names = {"memory", "sqlite"};
  if (::access("/usr/bin/redis-server", X_OK) == 0) {
    names.emplace_back("redis");
  } else {
    std::cerr << "redis is left out: there is no /usr/bin/redis-server\n";
  }
  return names;
}

BenchQueue::BenchQueue(const std::string& name, const std::filesystem::path& folder)
    : folder_(folder) {
  if (name == "memory") {
    queue_ = MakeMemoryQueue(SystemClock());
  } else if (name == "sqlite") {
    queue_ = std::move(MakeSqliteQueue(folder / "hone.db", SystemClock()).value());
  } else {  // A Redis over loopback that writes its file once a second.
    RedisSettings settings;
    settings.address.port = FreePort();
    redis_ = std::move(TestRedis::Start(folder, {"port", std::to_string(settings.address.port),
                                                 "appendonly", "yes", "appendfsync", "everysec"})
                           .value());
    queue_ = std::move(MakeRedisQueue(settings, SystemClock()).value());
  }
}

BenchQueue::Use BenchQueue::Used() const {
  Use use;
  for (const char* name : {"hone.db", "hone.db-wal"}) {
    std::error_code fault;
    const auto size = std::filesystem::file_size(folder_ / name, fault);
    if (!fault) use.file_bytes += static_cast<std::int64_t>(size);
  }
  if (!redis_) return use;
  const std::string info = redis_->Do({"INFO", "everything"});
  const double seconds = NumberBehind(info, "used_cpu_sys:") + NumberBehind(info, "used_cpu_user:");
  use.server_cpu_us = seconds * 1e6;
  use.calls = static_cast<std::int64_t>(NumberBehind(info, "cmdstat_evalsha:calls="));
  use.server_bytes = static_cast<std::int64_t>(NumberBehind(info, "used_memory:"));
  return use;
}

Task BenchTask(const TaskId& id) {
  Task task;
  task.id = id;
  task.domain = "toy";
  for (int i = 0; i < 20; ++i) task.candidate.assignment["parameter" + std::to_string(i)] = i / 7.0;
  task.baseline = task.candidate;
  for (int i = 0; i < 5; ++i) {
    task.order.insert(task.order.end(), {Arm::kBaseline, Arm::kCandidate});
  }
  return task;
}

Evaluation BenchEvaluation(const Task& task) {
  Evaluation evaluation;
  evaluation.task = task.id;
  for (const Arm arm : task.order) {
    Sample sample;
    sample.arm = arm;
    sample.metrics = {{"throughput", {1234.5, 1.5, 100}}, {"p99_ms", {17.25, 0.5, 100}}};
    for (int i = 0; i < 10; ++i) sample.observations["counter" + std::to_string(i)] = i / 3.0;
    evaluation.samples.push_back(sample);
  }
  evaluation.metrics = {{"throughput", "1/s", 1234.5, 1.5, 5}, {"p99_ms", "ms", 17.25, 0.5, 5}};
  return evaluation;
}

double CpuMicroseconds() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  const auto micros = [](const timeval& time) {
    return 1e6 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec);
  };
  return micros(use.ru_utime) + micros(use.ru_stime);
}

std::int64_t ResidentBytes() {
  const auto status = ReadFile("/proc/self/status");
  return static_cast<std::int64_t>(1024 * NumberBehind(status.value_or(""), "VmRSS:"));
}

}  // namespace hone
