// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/call_memory.h"

#include <gtest/gtest.h>

#include "hone/gpu/fake_gpu_for_test.h"

namespace hone::compute {
namespace {

using gpu::IsWiped;
using gpu::There;

class CallMemoryTest : public ::testing::Test {
 protected:
  std::shared_ptr<gpu::FakeGpu> gpu_ = std::make_shared<gpu::FakeGpu>();
  CallMemories memories_{MemoryShelf::Make(gpu_)};
};

TEST_F(CallMemoryTest, RunnersOfOneProblemHaveTheSameMemory) {
  const auto reference = memories_.Take(1000, 500).value();
  const auto candidate = memories_.Take(1000, 500).value();
  EXPECT_EQ(reference, candidate);
  EXPECT_NE(reference->inputs, reference->outputs);
}

TEST_F(CallMemoryTest, RunnersOfAnotherSizeDoNot) {
  const auto reference = memories_.Take(1000, 500).value();
  EXPECT_NE(memories_.Take(500, 1000).value(), reference);
  EXPECT_EQ(reference->inputs->bytes(), 1000U);
}

TEST_F(CallMemoryTest, WhoeverComesFindsNothingInIt) {
  const auto before = memories_.Take(1000, 500).value();
  There(before->inputs)[7] = std::byte{7};
  There(before->outputs)[499] = std::byte{7};
  const auto memory = memories_.Take(1000, 500).value();
  EXPECT_TRUE(IsWiped(memory->inputs));
  EXPECT_TRUE(IsWiped(memory->outputs));
}

TEST_F(CallMemoryTest, WhatAllHaveLetGoOfIsTakenFromTheShelf) {
  memories_.Take(1000, 500).value().reset();
  const auto again = memories_.Take(1000, 500).value();
  EXPECT_EQ(gpu_->memories_made, 2);
}

TEST_F(CallMemoryTest, MemoryOfALostGpuIsNotTakenAgain) {
  const auto before = memories_.Take(1000, 500).value();
  dynamic_cast<gpu::FakeGpuMemory&>(*before->outputs).is_lost = true;
  const auto memory = memories_.Take(1000, 500).value();
  EXPECT_NE(memory, before);
  EXPECT_EQ(memories_.Take(1000, 500).value(), memory);
}

}  // namespace
}  // namespace hone::compute
