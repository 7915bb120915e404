// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/base/clock.h"
#include "hone/eval/queue/task_queue.h"

namespace hone {

// A queue that lives and dies with this process. It keeps every task and settlement until it is
// told to forget them. Leases and deadlines are timed by the monotonic clock, so a change of the
// wall clock after Push does not move them. `clock` outlives the queue.
std::unique_ptr<TaskQueue> MakeMemoryQueue(Clock& clock);

}  // namespace hone
