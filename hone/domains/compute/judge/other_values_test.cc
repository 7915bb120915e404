// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/other_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace hone::compute {
namespace {

Tensor IntegersOf(const std::vector<std::int32_t>& values) {
  Tensor tensor =
      Tensor::Zeros({"x", DType::kI32, {static_cast<std::int64_t>(std::ssize(values))}});
  std::ranges::copy(values, tensor.As<std::int32_t>().begin());
  return tensor;
}

std::vector<std::int32_t> UpTo(std::int32_t count) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(OtherValuesTest, OnlyAnEighthOfTheDifferentValuesIsEverShown) {
  const OtherValues others({IntegersOf(UpTo(800))}, Rng(1));
  std::set<std::int32_t> shown;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Tensors drawn = others.Draw(Rng(i));
    for (const std::int32_t value : drawn[0].As<std::int32_t>()) shown.insert(value);
  }
  EXPECT_EQ(shown.size(), 100U);
  EXPECT_GE(*shown.begin(), 0);
  EXPECT_LT(*shown.rbegin(), 800);
}

TEST(OtherValuesTest, WhichOnesIsAnotherLotInEveryProcess) {
  int shows_largest = 0;
  constexpr int kProcesses = 400;
  for (std::uint64_t i = 0; i < kProcesses; ++i) {
    const Tensors drawn = OtherValues({IntegersOf(UpTo(800))}, Rng(i)).Draw(Rng(i));
    shows_largest += std::ranges::max(drawn[0].As<std::int32_t>()) == 799 ? 1 : 0;
  }
  EXPECT_LT(shows_largest, kProcesses / 5);
  EXPECT_GT(shows_largest, 0);
}

TEST(OtherValuesTest, EveryTypeKeepsItsShapeAndItsValues) {
  for (const DType dtype : {DType::kBool, DType::kU8, DType::kF16, DType::kI64, DType::kF64}) {
    Tensor kept = Tensor::Zeros({"x", dtype, {50, 2}});
    for (std::int64_t i = 0; i < 100; ++i) SetElement(kept, i, static_cast<double>(i % 2));
    const Tensor drawn = OtherValues({kept}, Rng(1)).Draw(Rng(2)).front();
    EXPECT_EQ(drawn.spec, kept.spec);
    EXPECT_NE(drawn.bytes, kept.bytes) << NameOf(dtype);
    for (std::int64_t i = 0; i < 100; ++i) {
      const double value = ElementAt(drawn, i);
      EXPECT_TRUE(value == 0 || value == 1) << NameOf(dtype);
    }
  }
}

TEST(OtherValuesTest, OfLargeTensorsAPartOfTheValuesIsEnough) {
  Tensor kept = Tensor::Zeros({"x", DType::kF32, {100'000}});
  Rng rng(1);
  for (float& value : kept.As<float>()) value = static_cast<float>(rng.Normal());
  const Tensors drawn = OtherValues({kept}, Rng(1)).Draw(Rng(2));
  const auto values = drawn[0].As<float>();
  EXPECT_EQ(values.size(), 100'000U);
  EXPECT_LE((std::set<float>(values.begin(), values.end()).size()), 512U);
}

TEST(OtherValuesTest, OfOneValueThereIsNoOther) {
  const Tensors kept{IntegersOf({7, 7, 7}), IntegersOf({}), IntegersOf({3})};
  const Tensors drawn = OtherValues(kept, Rng(1)).Draw(Rng(2));
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(drawn[i].bytes, kept[i].bytes);
}

}  // namespace
}  // namespace hone::compute
