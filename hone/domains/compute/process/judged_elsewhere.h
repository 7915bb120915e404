// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/domains/compute/process/judge_process.h"
#include "hone/domains/domain.h"

namespace hone::compute {

// A session whose work is done by a process of its own; `build_timeout` is that of the options.
// What the process does besides answering is an Error, and the next session gets another one.
Result<std::unique_ptr<Session>> OpenElsewhere(std::shared_ptr<JudgeProcesses> processes,
                                               const Options& options,
                                               std::chrono::milliseconds build_timeout);

}  // namespace hone::compute
