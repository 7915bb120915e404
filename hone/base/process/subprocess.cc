// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/subprocess.h"

#include <utility>

#include "hone/base/process/process_finish.h"
#include "hone/base/process/process_start.h"

namespace hone {

Result<ProcessResult> RunProcess(const Command& command) {
  auto process = StartProcess(command);
  if (!process) return process.error();
  return FinishProcess(command, *std::move(process), command.stop, {});
}

}  // namespace hone
