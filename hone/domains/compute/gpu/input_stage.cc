// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/input_stage.h"

#include <cstring>

namespace hone::compute {
namespace {

constexpr std::size_t kStageAlignment = 256;

std::size_t StagedBytes(const Tensor& input) {
  return (input.bytes.size() + kStageAlignment - 1) / kStageAlignment * kStageAlignment;
}

}  // namespace

Result<void> InputStage::MakeRoom(std::size_t bytes) {
  if (memory_ && memory_->bytes() >= bytes) return {};
  memory_.reset();
  auto made = device_->MakeMemory(bytes);
  if (!made) return made.error();
  memory_ = std::move(*made);
  return {};
}

Result<std::vector<std::uint64_t>> InputStage::Bring(std::uint64_t number,
                                                     std::span<const Tensor> inputs) {
  if (number == number_) return addresses_;
  number_ = 0;
  addresses_.clear();
  std::size_t bytes = 0;
  for (const Tensor& input : inputs) bytes += StagedBytes(input);
  if (bytes == 0) return addresses_;
  if (auto room = MakeRoom(bytes); !room) return room.error();
  std::uint64_t offset = 0;
  for (const Tensor& input : inputs) {
    std::memcpy(memory_->here() + offset, input.bytes.data(), input.bytes.size());
    addresses_.push_back(memory_->address() + offset);
    if (auto begun = memory_->Upload({offset, input.bytes.size()}); !begun) {
      memory_.reset();  // The GPU has been lost.
      return begun.error();
    }
    offset += StagedBytes(input);
  }
  number_ = number;
  return addresses_;
}

}  // namespace hone::compute
