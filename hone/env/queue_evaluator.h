// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/env/domain_environment.h"
#include "hone/eval/task_queue.h"

namespace hone {

// Evaluates through a queue and whoever works on it. A task that nobody settled within `patience`
// is cancelled and kUnavailable, as is one that was dropped. Safe for concurrent use; the queue
// outlives it.
Evaluator MakeQueueEvaluator(TaskQueue& queue, TaskQueue::Duration patience);

}  // namespace hone
