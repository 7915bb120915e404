// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/domains/compute/workflow.h"

namespace hone::compute {

// Against cases with given inputs and outputs, without a reference: the time stands alone.
std::unique_ptr<Workflow> MakeKernelSimple(WorkflowContext context);

}  // namespace hone::compute
