// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>

#include "hone/eval/queue/task_queue.h"

namespace hone::tune {

// A queue whose tasks were all settled before: for replaying a campaign without running anything.
// Pushing a task that was never settled is kNotFound; nothing can be taken.
std::unique_ptr<TaskQueue> MakeRecordedQueue(std::map<TaskId, Settlement> settled);

}  // namespace hone::tune
