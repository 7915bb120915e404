// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

#include "hone/core/task.h"

namespace hone::server {

// The tasks that this server has put into the queue and that are not settled. A queue that lost
// them (a Redis that came back empty) gets them again. Safe for concurrent use.
class OpenTasks {
 public:
  explicit OpenTasks(std::size_t max_bytes = std::size_t{256} << 20) : max_bytes_(max_bytes) {}

  void Add(const Task& task);  // Not kept where there is no room.
  void Remove(const TaskId& task);
  std::optional<Task> Find(const TaskId& task) const;

 private:
  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::map<TaskId, Task> tasks_;  // Protected by mutex_.
  std::size_t bytes_ = 0;         // Likewise.
};

}  // namespace hone::server
