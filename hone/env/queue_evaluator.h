// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/env/domain_environment.h"
#include "hone/eval/queue/task_queue.h"

namespace hone::env {

// Evaluates through a queue and whoever works on it. A task that nobody settled within
// `wait_timeout` is cancelled and kUnavailable, as is one that was dropped. Safe for concurrent
// use; the queue outlives it.
Evaluator MakeQueueEvaluator(TaskQueue& queue, TaskQueue::Duration wait_timeout);

}  // namespace hone::env
