// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "hone/gpu/gpu_device.h"

namespace hone::gpu {

// Memory of a GPU that is the processor's; copies are made at once.
class FakeGpuMemory final : public GpuMemory {
 public:
  explicit FakeGpuMemory(std::size_t bytes) : there_(bytes, std::byte{1}), here_(bytes) {}

  std::size_t bytes() const override { return there_.size(); }
  int descriptor() const override { return -1; }
  std::uint64_t address() const override { return reinterpret_cast<std::uint64_t>(there_.data()); }
  std::byte* here() override { return here_.data(); }

  Result<void> Upload(const Range& range) override {
    if (is_lost) return Error{Errc::kUnavailable, "GPU: copying to the GPU: lost"};
    std::memcpy(there_.data() + range.offset, here_.data() + range.offset, range.bytes);
    return {};
  }
  Result<void> Download(const Range& range) override {
    std::memcpy(here_.data() + range.offset, there_.data() + range.offset, range.bytes);
    return {};
  }
  Result<void> Repeat(const Range& range, std::size_t bytes) override {
    for (std::size_t i = bytes; i < range.bytes; ++i) {
      there_[range.offset + i] = there_[range.offset + i - bytes];
    }
    return {};
  }
  Result<void> CopyFrom(std::uint64_t address, const Range& to) override {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of this GPU is one of ours.
    const void* const from = reinterpret_cast<const void*>(address);
    std::memcpy(there_.data() + to.offset, from, to.bytes);
    return {};
  }

  std::vector<std::byte>& there() { return there_; }

  bool is_lost = false;

 private:
  std::vector<std::byte> there_;
  std::vector<std::byte> here_;
};

// What a fake GPU has in it.
inline std::vector<std::byte>& There(const std::shared_ptr<GpuMemory>& memory) {
  return dynamic_cast<FakeGpuMemory&>(*memory).there();
}

inline bool IsWiped(const std::shared_ptr<GpuMemory>& memory) {
  return std::ranges::all_of(There(memory), [](std::byte byte) { return byte == std::byte{0}; });
}

class FakeGpu final : public GpuDevice {
 public:
  explicit FakeGpu(Result<GpuReading> reading = GpuReading{}) : reading_(std::move(reading)) {}

  const GpuFacts& Facts() const override { return facts_; }
  Result<GpuReading> Read() override { return reading_; }
  Result<std::unique_ptr<GpuMemory>> MakeMemory(std::size_t bytes) override {
    if (bytes > static_cast<std::size_t>(facts_.memory_bytes)) {
      return Error{Errc::kUnavailable, "GPU: memory that can be shared: out of memory"};
    }
    ++memories_made;
    return std::make_unique<FakeGpuMemory>(bytes);
  }
  Result<void> Finish() override { return {}; }
  Result<void> Chill() override { return {}; }

  Result<void> BeginTaking() override {
    is_taken_ = true;
    return {};
  }
  bool IsTaken() const override { return is_taken_; }
  void LetGo() override { is_taken_ = false; }
  Result<std::chrono::nanoseconds> LongestGap() override { return std::chrono::nanoseconds{0}; }

  int memories_made = 0;

 private:
  static GpuFacts Described() {
    GpuFacts facts;
    facts.name = "Fake GPU";
    facts.uuid = "GPU-1";
    facts.memory_bytes = 64 << 20;
    return facts;
  }

  bool is_taken_ = false;
  const GpuFacts facts_ = Described();
  const Result<GpuReading> reading_;
};

}  // namespace hone::gpu
