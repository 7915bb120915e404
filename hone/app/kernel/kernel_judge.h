// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>

#include "hone/app/builtins.h"
#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/eval/worker/worker_pool.h"

namespace hone::app {

// Judges compute kernels in this process: a queue in memory and workers with
// the slots of this machine, started by the first task. Safe for concurrent use; who comes together
// is judged side by side only as far as there are slots.
class KernelJudge {
 public:
  // What is passed by reference outlives it. `workers` 0: as many as the machine has room for.
  KernelJudge(const Builtins& builtins, Clock& clock, std::size_t workers = 0)
      : builtins_(builtins), clock_(clock), max_workers_(workers) {}

  // Blocks until the verdict. A record of the task (server::TaskJson). kUnsupported, with what is
  // missing, if this machine cannot judge it; kUnavailable if it was stopped. A task keeps its id
  // unless one of the same id is, or was lately, judged.
  Result<Json> Judge(Task task, const std::stop_token& stop);

 private:
  Result<TaskQueue*> Open(const Task& task);
  Result<Json> Await(TaskQueue& queue, const Task& task, const std::stop_token& stop);
  TaskId Begin(TaskQueue& queue, TaskId id);
  void End(const TaskId& id);

  const Builtins& builtins_;
  Clock& clock_;
  const std::size_t max_workers_;
  std::mutex mutex_;
  std::set<TaskId> judged_;           // At the moment.
  std::unique_ptr<TaskQueue> queue_;  // Made once, under mutex_; so are the workers.
  Capabilities has_;
  std::unique_ptr<WorkerPool> workers_;
};

}  // namespace hone::app
