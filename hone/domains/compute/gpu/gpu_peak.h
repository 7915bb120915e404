// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "hone/core/result.h"
#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/judge/machine_peak.h"
#include "hone/gpu/gpu_device.h"

namespace hone::compute {

// What no GPU of today does more of, by its multiprocessors and its clock.
MachinePeak ArchitecturePeak(const gpu::GpuFacts& gpu);

// What this GPU was seen to do with kernels of ours: reading from the cache that all of it shares,
// and multiply-adds, those of its matrix units too. Takes about a second.
Result<MachinePeak> MeasureGpuPeak(Backend& backend, const gpu::GpuFacts& gpu);

// Measured once for a GPU and its driver, and kept in the folder. Never above the architecture's;
// that alone if it cannot be measured, or not while the GPU is itself.
MachinePeak KeptGpuPeak(Backend& backend, const gpu::GpuFacts& gpu,
                        const std::filesystem::path& folder);

// Measured once more: the best of that and of what is kept, which is kept from now on.
MachinePeak RaiseGpuPeak(Backend& backend, const gpu::GpuFacts& gpu,
                         const std::filesystem::path& folder);

}  // namespace hone::compute
