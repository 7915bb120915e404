// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "hone/core/result.h"
#include "hone/sandbox/sandbox.h"
#include "hone/sandbox/sandbox_start.h"
#include "hone/sandbox/warden.h"

// The second half of running a program in a sandbox. For the sandbox itself.
namespace hone {

// Moves data until the program has ended and nothing of it is left. `stop` ends it. If `report` is
// given, it receives what the warden said.
Result<SandboxResult> FinishSandbox(const SandboxCommand& command, StartedSandbox& sandbox,
                                    const std::stop_token& stop, WardenReport* report = nullptr);

}  // namespace hone
