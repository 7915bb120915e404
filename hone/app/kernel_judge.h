// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <stop_token>

#include "hone/app/builtins.h"
#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/eval/worker/worker_pool.h"

namespace hone::app {

// Judges compute kernels in this process, as `hone eval` does: a queue in memory and workers with
// the slots of this machine, started by the first task. Safe for concurrent use; who comes together
// is judged side by side only as far as there are slots.
class KernelJudge {
 public:
  // What is passed by reference outlives it.
  KernelJudge(const Builtins& builtins, Clock& clock) : builtins_(builtins), clock_(clock) {}

  // Blocks until the verdict. A record of the task (server::TaskJson). kUnsupported, with what is
  // missing, if this machine cannot judge it; kUnavailable if it was stopped.
  Result<Json> Judge(Task task, const std::stop_token& stop);

 private:
  Result<TaskQueue*> Open(const Task& task);

  const Builtins& builtins_;
  Clock& clock_;
  std::mutex mutex_;
  std::unique_ptr<TaskQueue> queue_;  // Made once, under mutex_; so are the workers.
  Capabilities has_;
  std::unique_ptr<WorkerPool> workers_;
};

}  // namespace hone::app
