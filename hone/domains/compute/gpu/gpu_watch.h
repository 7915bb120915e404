// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>

#include "hone/domains/compute/backends/backend.h"
#include "hone/gpu/gpu_device.h"

namespace hone::compute {

// What the GPU was like, and what of it makes times doubtful: it is slowed down, or somebody else
// uses it. `is_ours` tells of a process that uses it whether it belongs to the judge.
DeviceSight LookAtGpu(gpu::GpuDevice& device, const std::function<bool(pid_t)>& is_ours);

}  // namespace hone::compute
