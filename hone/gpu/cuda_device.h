// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/gpu/gpu_device.h"

namespace hone::gpu {

// The GPU with this number of NVIDIA's driver.
Result<std::shared_ptr<GpuDevice>> FindCudaDevice(int ordinal);

}  // namespace hone::gpu
