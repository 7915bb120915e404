// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/task.h"
#include "hone/eval/queue/queue_words.h"

namespace hone {

// Why none of these workers can take the task, in one sentence that says what is missing and who is
// nearest to having it. Empty if one can.
std::string ExplainNoWorker(const Task& task, const std::vector<WorkerCard>& workers);

}  // namespace hone
