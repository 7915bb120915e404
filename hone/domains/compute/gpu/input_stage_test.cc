// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/input_stage.h"

#include <gtest/gtest.h>

#include "hone/gpu/fake_gpu_for_test.h"

namespace hone::compute {
namespace {

class InputStageTest : public ::testing::Test {
 protected:
  static Tensors InputsOf(std::int64_t count, float value) {
    Tensors inputs{Tensor::Zeros({"x", DType::kF32, {count}}),
                   Tensor::Zeros({"y", DType::kF32, {3}})};
    for (Tensor& input : inputs) std::ranges::fill(input.As<float>(), value);
    return inputs;
  }

  // The first element at each address, as a runner would get it.
  std::vector<float> At(const std::vector<std::uint64_t>& addresses) {
    std::vector<float> found;
    for (const std::uint64_t address : addresses) {
      const auto memory = gpu_->MakeMemory(sizeof(float)).value();
      EXPECT_TRUE(memory->CopyFrom(address, {0, sizeof(float)}));
      EXPECT_TRUE(memory->Download({0, sizeof(float)}));
      found.push_back(*reinterpret_cast<const float*>(memory->here()));
    }
    return found;
  }

  const std::shared_ptr<gpu::FakeGpu> gpu_ = std::make_shared<gpu::FakeGpu>();
  InputStage stage_{gpu_};
};

TEST_F(InputStageTest, EveryInputLiesAtAnAddressOfItsOwn) {
  const auto addresses = stage_.Bring(7, InputsOf(1000, 4)).value();
  ASSERT_EQ(addresses.size(), 2U);
  EXPECT_GE(addresses[1], addresses[0] + 4000);
  EXPECT_EQ(addresses[1] % 256, addresses[0] % 256);
  EXPECT_EQ(At(addresses), (std::vector<float>{4, 4}));
}

TEST_F(InputStageTest, TheSameNumberBringsNothingAgain) {
  const auto addresses = stage_.Bring(7, InputsOf(1000, 4)).value();
  EXPECT_EQ(stage_.Bring(7, InputsOf(1000, 5)).value(), addresses);
  EXPECT_EQ(At(addresses), (std::vector<float>{4, 4}));
}

TEST_F(InputStageTest, AnotherNumberBringsOthers) {
  stage_.Bring(7, InputsOf(1000, 4)).value();
  EXPECT_EQ(At(stage_.Bring(8, InputsOf(1000, 5)).value()), (std::vector<float>{5, 5}));
}

TEST_F(InputStageTest, LargerOnesGetMoreRoom) {
  stage_.Bring(7, InputsOf(1000, 4)).value();
  const int made = gpu_->memories_made;
  const auto addresses = stage_.Bring(8, InputsOf(1 << 20, 5)).value();
  EXPECT_EQ(gpu_->memories_made, made + 1);
  EXPECT_EQ(At(addresses), (std::vector<float>{5, 5}));
}

TEST_F(InputStageTest, WhatDoesNotFitIsAnErrorAndTheNextOnesAreBrought) {
  EXPECT_FALSE(stage_.Bring(7, InputsOf(1 << 25, 4)));
  EXPECT_EQ(At(stage_.Bring(7, InputsOf(1000, 5)).value()), (std::vector<float>{5, 5}));
}

}  // namespace
}  // namespace hone::compute
