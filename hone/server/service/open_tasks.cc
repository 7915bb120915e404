// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/open_tasks.h"

namespace hone::server {
namespace {

constexpr std::size_t kTaskBytes = 1024;  // About what one takes without its texts.

std::size_t BytesOf(const Task& task) {
  std::size_t bytes = kTaskBytes + task.candidate.source.size();
  if (task.baseline) bytes += task.baseline->source.size();
  for (const auto& [name, value] : task.options) bytes += name.size() + value.size();
  return bytes;
}

}  // namespace

void OpenTasks::Add(const Task& task) {
  const std::size_t bytes = BytesOf(task);
  const std::lock_guard lock(mutex_);
  if (bytes_ + bytes > max_bytes_) return;
  if (tasks_.emplace(task.id, task).second) bytes_ += bytes;
}

void OpenTasks::Remove(const TaskId& task) {
  const std::lock_guard lock(mutex_);
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  bytes_ -= BytesOf(found->second);
  tasks_.erase(found);
}

std::optional<Task> OpenTasks::Find(const TaskId& task) const {
  const std::lock_guard lock(mutex_);
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return std::nullopt;
  return found->second;
}

}  // namespace hone::server
