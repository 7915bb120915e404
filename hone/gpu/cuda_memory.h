// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "hone/gpu/cuda_driver.h"
#include "hone/gpu/gpu_device.h"

namespace hone::gpu {

// Memory of the GPU that can be handed to another process by a descriptor.
Result<std::unique_ptr<GpuMemory>> MakeCudaMemory(std::shared_ptr<CudaContext> context,
                                                  std::size_t bytes);

// Memory of its own, larger than the GPU's cache, to write over all of that.
class CacheChill {
 public:
  virtual ~CacheChill() = default;
  static Result<std::unique_ptr<CacheChill>> Make(std::shared_ptr<CudaContext> context,
                                                  std::size_t cache_bytes);
  virtual Result<void> Chill() = 0;
};

}  // namespace hone::gpu
