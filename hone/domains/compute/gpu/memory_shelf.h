// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "hone/core/result.h"
#include "hone/gpu/gpu_device.h"

namespace hone::compute {

// Memory of a GPU for the next runner, since making it takes as long as many calls. Whoever takes
// some finds nothing in it of those who had it before: answers to the same questions, perhaps. What
// nobody takes for a while goes back to the GPU. Safe for concurrent use.
class MemoryShelf : public std::enable_shared_from_this<MemoryShelf> {
 public:
  // Keeps at most so many bytes, of the GPU's and of ours.
  static std::shared_ptr<MemoryShelf> Make(std::shared_ptr<gpu::GpuDevice> device,
                                           std::size_t max_bytes = std::size_t{1} << 30);

  // At least so many bytes, all zero. It comes back here when the last one lets go of it, which
  // must not be before the process that has mapped it is gone.
  Result<std::shared_ptr<gpu::GpuMemory>> Take(std::size_t bytes);

  // Makes all of it zero.
  Result<void> Wipe(gpu::GpuMemory& memory);

 private:
  MemoryShelf(std::shared_ptr<gpu::GpuDevice> device, std::size_t max_bytes)
      : device_(std::move(device)), max_bytes_(max_bytes) {}

  // What is kept, and how often something had been taken when it came.
  struct Kept {
    std::unique_ptr<gpu::GpuMemory> memory;
    std::uint64_t since = 0;
  };

  std::unique_ptr<gpu::GpuMemory> Find(std::size_t bytes);
  void ReleaseUnused();
  void GiveBack(std::unique_ptr<gpu::GpuMemory> memory);

  const std::shared_ptr<gpu::GpuDevice> device_;
  const std::size_t max_bytes_;
  std::mutex mutex_;
  std::list<Kept> kept_;  // The last one first. Protected by mutex_, as the next.
  std::uint64_t taken_ = 0;
};

}  // namespace hone::compute
