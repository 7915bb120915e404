// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/domains/compute/backends/backend.h"

namespace hone::compute {

// PyTorch on the processor, in KernelBench's form: the reference defines a Model, get_inputs and
// get_init_inputs, the candidate a ModelNew. Each runs in a Python of its own, in a sandbox
// (harness/torch_runner.py). docs/formats/problem.md has the details.
BackendEntry TorchBackendEntry();

}  // namespace hone::compute
