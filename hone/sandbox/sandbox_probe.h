// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/sandbox/protections.h"
#include "hone/sandbox/sandbox_start.h"

// For the sandbox itself.
namespace hone {

// How sandboxes are started on this machine: without what it lacks.
const SandboxStyle& UsualStyle();

// kUnsupported if this machine cannot contain anything, or not as much as the command demands.
Result<void> CheckProtections(const SandboxCommand& command);

}  // namespace hone
