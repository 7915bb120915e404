// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/domains/compute/workflow.h"

namespace hone::compute {

// Against cases with given inputs and outputs, without a reference: the time stands alone.
WorkflowEntry KernelSimpleEntry();

}  // namespace hone::compute
