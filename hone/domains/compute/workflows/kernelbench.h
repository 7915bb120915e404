// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/domains/compute/workflow.h"

namespace hone::compute {

// Against a reference: build, correctness against expected values by the reference, timing beside
// the reference, and the checks for cheating.
std::unique_ptr<Workflow> MakeKernelbench(WorkflowContext context);

}  // namespace hone::compute
