// SPDX-License-Identifier: Apache-2.0
#include "hone/env/queue_evaluator.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace hone::env {
namespace {

Result<Evaluation> EvaluateThrough(TaskQueue& queue, TaskQueue::Duration wait_timeout,
                                   const Task& task) {
  if (const auto pushed = queue.Push(task); !pushed) return pushed.error();
  auto settlement = queue.Await(task.id, wait_timeout);
  if (!settlement) return settlement.error();
  if (!*settlement) {
    if (const auto cancelled = queue.Cancel(task.id); !cancelled) return cancelled.error();
    return Error{Errc::kUnavailable,
                 fmt::format("task {}: not settled within {} ms", task.id, wait_timeout.count())};
  }
  if (const auto* drop = std::get_if<Settlement::Drop>(&(*settlement)->end)) {
    return Error{Errc::kUnavailable, fmt::format("task {}: {}", task.id, drop->reason)};
  }
  return std::move(std::get<Evaluation>((*settlement)->end));
}

}  // namespace

Evaluator MakeQueueEvaluator(TaskQueue& queue, TaskQueue::Duration wait_timeout) {
  return [&queue, wait_timeout](const Task& task) {
    return EvaluateThrough(queue, wait_timeout, task);
  };
}

}  // namespace hone::env
