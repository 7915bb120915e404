// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/recorded_queue.h"

#include <fmt/format.h>

#include <utility>

#include "hone/eval/queue/client_queue.h"

namespace hone::tune {
namespace {

Error NeverSettled(const TaskId& task) {
  return Error{Errc::kNotFound, fmt::format("task {}: no evaluation of it is stored", task)};
}

class RecordedQueue final : public ClientQueue {
 public:
  explicit RecordedQueue(std::map<TaskId, Settlement> settled) : settled_(std::move(settled)) {}

  Result<void> Push(const Task& task) override { return Cancel(task.id); }

  Result<void> Cancel(const TaskId& task) override {
    if (!settled_.contains(task)) return NeverSettled(task);
    return {};
  }

  Result<std::optional<Settlement>> Await(const TaskId& task, Duration, std::stop_token) override {
    const auto found = settled_.find(task);
    if (found == settled_.end()) return NeverSettled(task);
    return std::optional<Settlement>(found->second);
  }

 private:
  const std::map<TaskId, Settlement> settled_;
};

}  // namespace

std::unique_ptr<TaskQueue> MakeRecordedQueue(std::map<TaskId, Settlement> settled) {
  return std::make_unique<RecordedQueue>(std::move(settled));
}

}  // namespace hone::tune
