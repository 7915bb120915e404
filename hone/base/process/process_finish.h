// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "hone/base/process/process_start.h"
#include "hone/base/process/subprocess.h"
#include "hone/core/result.h"

// The second half of running a program. For subprocess.cc and running_process.cc only.
namespace hone {

// Moves data until the program has ended and nothing of it is left. `stop` ends it.
Result<ProcessResult> FinishProcess(const Command& command, StartedProcess process,
                                    const std::stop_token& stop, const OnLine& on_line);

}  // namespace hone
