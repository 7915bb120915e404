// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/memory_shelf.h"

#include <gtest/gtest.h>

#include "hone/gpu/fake_gpu_for_test.h"

namespace hone::compute {
namespace {

using gpu::IsWiped;
using gpu::There;

class MemoryShelfTest : public ::testing::Test {
 protected:
  std::shared_ptr<gpu::FakeGpu> gpu_ = std::make_shared<gpu::FakeGpu>();
  std::shared_ptr<MemoryShelf> shelf_ = MemoryShelf::Make(gpu_);
};

TEST_F(MemoryShelfTest, WhatComesBackIsTakenAgainAndHoldsNothingOfWhoHadIt) {
  {
    const auto first = shelf_->Take(1000).value();
    EXPECT_TRUE(IsWiped(first));
    There(first)[500] = std::byte{7};
    EXPECT_FALSE(IsWiped(first));
  }
  const auto second = shelf_->Take(1000).value();
  EXPECT_EQ(gpu_->memories_made, 1);
  EXPECT_TRUE(IsWiped(second));
}

TEST_F(MemoryShelfTest, NobodyGetsWhatSomebodyHas) {
  const auto one = shelf_->Take(1000).value();
  const auto other = shelf_->Take(1000).value();
  EXPECT_NE(one, other);
  EXPECT_EQ(gpu_->memories_made, 2);
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
  EXPECT_EQ(gpu_->memories_made, 2);
  const auto more = shelf_->Take(kHalf).value();
  EXPECT_EQ(gpu_->memories_made, 3);
}

TEST_F(MemoryShelfTest, WhatNobodyTakesForAWhileGoesBackToTheGpu) {
  {
    const auto one = shelf_->Take(1000).value();
    const auto other = shelf_->Take(1000).value();  // Both at once, as never again.
  }
  for (int i = 0; i < 20; ++i) shelf_->Take(1000).value().reset();
  EXPECT_EQ(gpu_->memories_made, 2);
  const auto one = shelf_->Take(1000).value();
  EXPECT_EQ(gpu_->memories_made, 2);
  const auto other = shelf_->Take(1000).value();
  EXPECT_EQ(gpu_->memories_made, 3) << "the second one was not kept";
}

TEST_F(MemoryShelfTest, MemoryMayOutliveTheShelf) {
  auto memory = shelf_->Take(1000).value();
  shelf_.reset();
  memory.reset();
}

}  // namespace
}  // namespace hone::compute
