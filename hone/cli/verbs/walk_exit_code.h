// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/agent/walk/walk_talk.h"
#include "hone/cli/exit_code.h"
#include "hone/domains/kconfig/kernel_comparison.h"

// How `hone agent kconfig` ends.
namespace hone::cli {

ExitCode ExitCodeOfWalk(agent::WalkEnd end, bool has_honoured);

// With --measure: what was measured is the answer, whatever was honoured. Where that says nothing
// for the result, a walk without its end had more to try.
ExitCode ExitCodeOfMeasuredWalk(ExitCode walked, kernels::ComparisonAnswer measured);

}  // namespace hone::cli
