// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>

#include "hone/gpu/cuda_driver.h"
#include "hone/gpu/gpu_device.h"

namespace hone::gpu {

// A kernel of one thread that runs until it is told to end. As long as a kernel of one context
// runs, none of another does: the GPU goes from one to the next in slices of time.
class CudaHold {
 public:
  virtual ~CudaHold() = default;
  static Result<std::unique_ptr<CudaHold>> Make(std::shared_ptr<CudaContext> context);

  // As in GpuDevice.
  virtual Result<void> BeginTaking() = 0;
  virtual bool IsTaken() const = 0;
  virtual void LetGo() = 0;
  virtual Result<std::chrono::nanoseconds> LongestGap() = 0;
};

}  // namespace hone::gpu
