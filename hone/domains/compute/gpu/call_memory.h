// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "hone/core/result.h"
#include "hone/domains/compute/gpu/memory_shelf.h"
#include "hone/gpu/gpu_device.h"

namespace hone::compute {

// Memory of a GPU for the arrays of calls. Whoever has `in_call` writes over all of the outputs
// before the call: another runner's answers to the same inputs may be in it.
struct CallMemory {
  std::shared_ptr<gpu::GpuMemory> inputs;  // Runners can only read it.
  std::shared_ptr<gpu::GpuMemory> outputs;
  std::mutex in_call;
};

// All runners of a problem have the same memory, one call after the other: where it lies decides
// how fast a kernel is, by up to 4 %, and what is compared must not differ in that. Safe for
// concurrent use.
class CallMemories {
 public:
  explicit CallMemories(std::shared_ptr<MemoryShelf> shelf) : shelf_(std::move(shelf)) {}

  // At least so many bytes, all zero now. The last one must not let go of it before its process is
  // gone, nor may a kernel that somebody gave up run on when others are called.
  Result<std::shared_ptr<CallMemory>> Take(std::size_t input_bytes, std::size_t output_bytes);

 private:
  using Wanted = std::pair<std::size_t, std::size_t>;  // Bytes of inputs and outputs.

  std::shared_ptr<CallMemory> Find(const Wanted& wanted);
  bool WipeBetweenCalls(CallMemory& memory);
  Result<std::shared_ptr<CallMemory>> Make(const Wanted& wanted,
                                           const std::shared_ptr<CallMemory>& lost);

  const std::shared_ptr<MemoryShelf> shelf_;
  std::mutex mutex_;
  std::map<Wanted, std::weak_ptr<CallMemory>> used_;  // Protected by mutex_.
};

}  // namespace hone::compute
