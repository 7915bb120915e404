// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/task.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/testing/test_redis.h"

namespace hone {

// A queue to be measured, new and empty, with the server that it needs.
class BenchQueue {
 public:
  // "memory", "sqlite", "redis"; the last only where there is a redis-server.
  static std::vector<std::string> Names();

  // Aborts if it cannot be made.
  BenchQueue(const std::string& name, const std::filesystem::path& folder);

  TaskQueue& operator*() { return *queue_; }

  // What it has used so far besides this process.
  struct Use {
    double server_cpu_us = 0;       // Of its server, if it has one.
    std::int64_t calls = 0;         // To that server.
    std::int64_t server_bytes = 0;  // Memory of that server.
    std::int64_t file_bytes = 0;
  };
  Use Used() const;

 private:
  std::filesystem::path folder_;
  std::unique_ptr<TestRedis> redis_;
  std::unique_ptr<TaskQueue> queue_;
};

// As long as that of a real campaign: 20 parameters, five pairs.
Task BenchTask(const TaskId& id);
Evaluation BenchEvaluation(const Task& task);

// Of this process.
double CpuMicroseconds();
std::int64_t ResidentBytes();

}  // namespace hone
