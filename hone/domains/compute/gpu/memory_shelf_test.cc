// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/memory_shelf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace hone::compute {
namespace {

// Memory of a GPU that is the processor's.
class PlainMemory final : public gpu::GpuMemory {
 public:
  explicit PlainMemory(std::size_t bytes) : there_(bytes, std::byte{1}), here_(bytes) {}

  std::size_t bytes() const override { return there_.size(); }
  int descriptor() const override { return -1; }
  std::byte* here() override { return here_.data(); }
  std::uint64_t address() const override { return 0; }
  Result<void> Upload(const gpu::Range& range) override {
    std::memcpy(there_.data() + range.offset, here_.data() + range.offset, range.bytes);
    return {};
  }
  Result<void> Download(const gpu::Range&) override { return {}; }
  Result<void> Repeat(const gpu::Range& range, std::size_t bytes) override {
    for (std::size_t i = bytes; i < range.bytes; ++i) {
      there_[range.offset + i] = there_[range.offset + i - bytes];
    }
    return {};
  }
  Result<void> CopyFrom(std::uint64_t, const gpu::Range&) override { return {}; }

  bool IsWiped() const {
    return std::ranges::all_of(there_, [](std::byte byte) { return byte == std::byte{0}; });
  }
  void Use() { there_[there_.size() / 2] = std::byte{7}; }

 private:
  std::vector<std::byte> there_;
  std::vector<std::byte> here_;
};

class PlainGpu final : public gpu::GpuDevice {
 public:
  const gpu::GpuFacts& Facts() const override { return facts_; }
  Result<gpu::GpuReading> Read() override { return gpu::GpuReading{}; }
  Result<std::unique_ptr<gpu::GpuMemory>> MakeMemory(std::size_t bytes) override {
    ++made;
    return std::make_unique<PlainMemory>(bytes);
  }
  Result<void> Finish() override { return {}; }
  Result<void> Chill() override { return {}; }

  int made = 0;

 private:
  gpu::GpuFacts facts_;
};

class MemoryShelfTest : public ::testing::Test {
 protected:
  static PlainMemory& Plain(const std::shared_ptr<gpu::GpuMemory>& memory) {
    return dynamic_cast<PlainMemory&>(*memory);
  }

  std::shared_ptr<PlainGpu> gpu_ = std::make_shared<PlainGpu>();
  std::shared_ptr<MemoryShelf> shelf_ = MemoryShelf::Make(gpu_);
};

TEST_F(MemoryShelfTest, WhatComesBackIsTakenAgainAndHoldsNothingOfWhoHadIt) {
  {
    const auto first = shelf_->Take(1000).value();
    EXPECT_TRUE(Plain(first).IsWiped());
    Plain(first).Use();
    EXPECT_FALSE(Plain(first).IsWiped());
  }
  const auto second = shelf_->Take(1000).value();
  EXPECT_EQ(gpu_->made, 1);
  EXPECT_TRUE(Plain(second).IsWiped());
}

TEST_F(MemoryShelfTest, NobodyGetsWhatSomebodyHas) {
  const auto one = shelf_->Take(1000).value();
  const auto other = shelf_->Take(1000).value();
  EXPECT_NE(one, other);
  EXPECT_EQ(gpu_->made, 2);
}

TEST_F(MemoryShelfTest, MuchMoreThanIsWantedIsNotTaken) {
  shelf_->Take(1000).value().reset();
  const auto little = shelf_->Take(100).value();
  EXPECT_EQ(little->bytes(), 100U);
  const auto half = shelf_->Take(600).value();
  EXPECT_EQ(half->bytes(), 1000U);
}

TEST_F(MemoryShelfTest, NoMoreThanItIsToldIsKept) {
  constexpr std::size_t kHalf = 600;
  shelf_ = MemoryShelf::Make(gpu_, 1000);
  {
    const auto one = shelf_->Take(kHalf).value();
    const auto other = shelf_->Take(kHalf).value();
  }
  const auto again = shelf_->Take(kHalf).value();
  EXPECT_EQ(gpu_->made, 2);
  const auto more = shelf_->Take(kHalf).value();
  EXPECT_EQ(gpu_->made, 3);
}

TEST_F(MemoryShelfTest, MemoryMayOutliveTheShelf) {
  auto memory = shelf_->Take(1000).value();
  shelf_.reset();
  memory.reset();
}

}  // namespace
}  // namespace hone::compute
