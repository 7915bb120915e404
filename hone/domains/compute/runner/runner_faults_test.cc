// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/runner_faults.h"

#include <gtest/gtest.h>

namespace hone::compute {
namespace {

Tensor ThreeFloats() {
  Tensor tensor = Tensor::Zeros({"x", DType::kF32, {3}});
  tensor.As<float>()[2] = 7;
  return tensor;
}

TEST(RunnerFaultsTest, FirstElementThatIsNotWhatItWasIsToldWithBothValues) {
  const Tensor before = ThreeFloats();
  Tensor after = before;
  after.As<float>()[1] = 5;
  after.As<float>()[2] = 6;
  const auto changed = FindChange(before, after.bytes.data(), 4);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->input, 4U);
  EXPECT_EQ(changed->index, 1);
  EXPECT_EQ(changed->before, 0);
  EXPECT_EQ(changed->after, 5);
}

// What was seen to differ may be put back before it is copied.
TEST(RunnerFaultsTest, CopyThatIsEqualHasNoFirstElement) {
  EXPECT_FALSE(FirstChange(ThreeFloats(), ThreeFloats(), 0));
}

}  // namespace
}  // namespace hone::compute
