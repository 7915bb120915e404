// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hone/core/result.h"
#include "hone/eval/task_queue.h"

namespace hone {

// The last tasks that were settled with a number below `before`, oldest first: at most `most`, and
// none only if there is none. The feed is read forwards, and the numbers of some queues (Redis) are
// times, so how far back to begin is searched for.
Result<std::vector<Settled>> NewestSettled(TaskQueue& queue, std::uint64_t before,
                                           std::size_t most);

}  // namespace hone
