// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/domains/compute/workflow.h"

namespace hone::compute {

// Against a reference: build, correctness against expected values by the reference, timing beside
// the reference, and the checks for cheating.
WorkflowEntry KernelbenchEntry();

}  // namespace hone::compute
