// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/sandbox.h"

#include "hone/sandbox/sandbox_finish.h"
#include "hone/sandbox/sandbox_probe.h"
#include "hone/sandbox/sandbox_start.h"

namespace hone {

Result<SandboxResult> RunInSandbox(const SandboxCommand& command) {
  if (auto good = CheckProtections(command); !good) return good.error();
  auto sandbox = StartSandbox(command, UsualStyle());
  if (!sandbox) return sandbox.error();
  auto result = FinishSandbox(command, *sandbox, command.stop);
  if (result) result->protections = ProbeProtections();
  return result;
}

}  // namespace hone
