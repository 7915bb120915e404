// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "hone/core/result.h"
#include "hone/eval/queue/task_queue.h"

namespace hone {

// A queue as a test and the processes that it kills both open it: "sqlite" with a file,
// "redis" with an address as in docs/redis.md.
Result<std::unique_ptr<TaskQueue>> OpenNamedQueue(const std::string& name,
                                                  const std::string& address);

}  // namespace hone
