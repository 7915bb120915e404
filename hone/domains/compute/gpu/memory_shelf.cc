// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/memory_shelf.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace hone::compute {
namespace {

constexpr std::size_t kMaxKept = 8;
constexpr std::uint64_t kMaxPassedOver = 8;  // As often as others are taken meanwhile.
constexpr std::size_t kMaxTimesWanted = 2;
constexpr std::size_t kWipedAtOnce = 64 << 10;

Result<void> WipeAll(gpu::GpuMemory& memory) {
  const std::size_t first = std::min(memory.bytes(), kWipedAtOnce);
  std::memset(memory.here(), 0, first);
  if (auto begun = memory.Upload({0, first}); !begun) return begun;
  return memory.Repeat({0, memory.bytes()}, first);
}

}  // namespace

std::shared_ptr<MemoryShelf> MemoryShelf::Make(std::shared_ptr<gpu::GpuDevice> device,
                                               std::size_t max_bytes) {
  return std::shared_ptr<MemoryShelf>(new MemoryShelf(std::move(device), max_bytes));
}

Result<void> MemoryShelf::Wipe(gpu::GpuMemory& memory) {
  if (auto begun = WipeAll(memory); !begun) return begun;
  return device_->Finish();
}

Result<std::shared_ptr<gpu::GpuMemory>> MemoryShelf::Take(std::size_t bytes) {
  auto memory = Find(bytes);
  ReleaseUnused();
  if (memory && !Wipe(*memory)) memory.reset();  // The GPU has been lost meanwhile.
  if (!memory) {
    auto made = device_->MakeMemory(bytes);
    if (!made) return made.error();
    memory = std::move(*made);
    if (auto wiped = Wipe(*memory); !wiped) return wiped.error();
  }
  return std::shared_ptr<gpu::GpuMemory>(memory.release(),
                                         [shelf = weak_from_this()](gpu::GpuMemory* used) {
                                           std::unique_ptr<gpu::GpuMemory> owned(used);
                                           if (const auto still_there = shelf.lock())
                                             still_there->GiveBack(std::move(owned));
                                         });
}

std::unique_ptr<gpu::GpuMemory> MemoryShelf::Find(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  ++taken_;
  const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return kept.memory->bytes() >= bytes && kept.memory->bytes() / kMaxTimesWanted <= bytes;
  });
  if (found == kept_.end()) return nullptr;
  auto memory = std::move(found->memory);
  kept_.erase(found);
  return memory;
}

// More was needed at once before than is now.
void MemoryShelf::ReleaseUnused() {
  std::list<Kept> unused;  // As in GiveBack.
  const std::lock_guard lock(mutex_);
  while (!kept_.empty() && taken_ - kept_.back().since > kMaxPassedOver) {
    unused.splice(unused.end(), kept_, std::prev(kept_.end()));
  }
}

void MemoryShelf::GiveBack(std::unique_ptr<gpu::GpuMemory> memory) {
  std::list<Kept> ended;  // Before the lock, so that they end after it.
  const std::lock_guard lock(mutex_);
  kept_.push_front({std::move(memory), taken_});
  std::size_t bytes = 0;
  for (const Kept& one : kept_) bytes += one.memory->bytes();
  while (kept_.size() > kMaxKept || bytes > max_bytes_) {
    bytes -= kept_.back().memory->bytes();
    ended.splice(ended.end(), kept_, std::prev(kept_.end()));
  }
}

}  // namespace hone::compute
