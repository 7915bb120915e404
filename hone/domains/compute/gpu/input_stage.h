// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/tensor.h"
#include "hone/gpu/gpu_device.h"

namespace hone::compute {

// The inputs of a pair of calls, in memory of the GPU that no runner maps. They come here once, and
// from here to each runner by a copy on the GPU, which takes a hundredth of the time. For whoever
// has the GPU's turn.
class InputStage {
 public:
  explicit InputStage(std::shared_ptr<gpu::GpuDevice> device) : device_(std::move(device)) {}

  // Begins to bring them there, unless those with the same number (CallOrder::same_inputs) are
  // there already. Their addresses.
  Result<std::vector<std::uint64_t>> Bring(std::uint64_t number, std::span<const Tensor> inputs);

 private:
  Result<void> MakeRoom(std::size_t bytes);

  const std::shared_ptr<gpu::GpuDevice> device_;
  std::unique_ptr<gpu::GpuMemory> memory_;
  std::uint64_t number_ = 0;
  std::vector<std::uint64_t> addresses_;
};

}  // namespace hone::compute
