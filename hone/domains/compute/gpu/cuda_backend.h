// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/domains/compute/backends/backend.h"

namespace hone::compute {

// CUDA kernels as device code (docs/formats/gpu-kernel.md): compiled by NVRTC in a sandbox,
// launched by a runner of ours in another. Nothing of the candidate runs on the processor.
BackendEntry CudaBackendEntry();

}  // namespace hone::compute
