// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/learn/aligned_vector.h"

namespace hone::learn {
namespace {

template <typename T>
AlignedVector<T> Random(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  AlignedVector<T> numbers(count);
  for (T& number : numbers) number = static_cast<T>(rng.Normal());
  return numbers;
}

template <typename T>
class KernelsTest : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KernelsTest, Precisions);

// The product of the first `rows` rows at one level.
template <typename T>
AlignedVector<T> Multiplied(const KernelLevel& level, std::size_t rows) {
  constexpr std::size_t kColumns = 80;
  constexpr std::size_t kDepth = 37;
  const AlignedVector<T> a = Random<T>(1000 * kDepth, 1);
  const AlignedVector<T> b = Random<T>(kDepth * kColumns, 2);
  const AlignedVector<T> bias = Random<T>(kColumns, 3);
  AlignedVector<T> c(rows * kColumns);
  level.Of<T>().multiply({.rows = rows,
                          .columns = kColumns,
                          .depth = kDepth,
                          .a = a.data(),
                          .a_row = kDepth,
                          .b = b.data(),
                          .b_row = kColumns,
                          .bias = bias.data(),
                          .c = c.data(),
                          .c_row = kColumns});
  for (std::size_t m = 0; m < rows; ++m) {
    for (std::size_t n = 0; n < kColumns; ++n) {
      double sum = static_cast<double>(bias[n]);
      for (std::size_t k = 0; k < kDepth; ++k) {
        sum += static_cast<double>(a[m * kDepth + k]) * static_cast<double>(b[k * kColumns + n]);
      }
      EXPECT_NEAR(static_cast<double>(c[m * kColumns + n]), sum, sizeof(T) == 4 ? 1e-4 : 1e-12);
    }
  }
  return c;
}

TYPED_TEST(KernelsTest, EveryLevelMultiplies) {
  for (const KernelLevel& level : AvailableKernels()) Multiplied<TypeParam>(level, 13);
}

TYPED_TEST(KernelsTest, ARowHasTheSameBitsInABatchOfAnySize) {
  for (const KernelLevel& level : AvailableKernels()) {
    const auto whole = Multiplied<TypeParam>(level, 29);
    for (const std::size_t rows : {1U, 2U, 7U, 8U}) {
      const auto part = Multiplied<TypeParam>(level, rows);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin())) << level.name << rows;
    }
  }
}

TYPED_TEST(KernelsTest, LevelsThatFuseAgreeToTheLastBit) {
  const auto& levels = AvailableKernels();
  if (levels.size() < 3) GTEST_SKIP() << "needs a processor with AVX2 and AVX-512";
  EXPECT_EQ(Multiplied<TypeParam>(levels[0], 29), Multiplied<TypeParam>(levels[1], 29));
  auto wide = Random<TypeParam>(4096, 4);
  auto narrow = wide;
  levels[0].template Of<TypeParam>().tanh(wide.data(), wide.size());
  levels[1].template Of<TypeParam>().tanh(narrow.data(), narrow.size());
  EXPECT_EQ(wide, narrow);
}

// What makes them agree, on processors of all kinds.
TYPED_TEST(KernelsTest, ALevelThatFusesRoundsOnceForEachProduct) {
  constexpr std::size_t kSize = 48;
  const auto a = Random<TypeParam>(kSize, 5);
  const auto b = Random<TypeParam>(kSize * kSize, 6);
  AlignedVector<TypeParam> expected(kSize, 0);
  for (std::size_t k = 0; k < kSize; ++k) {
    for (std::size_t n = 0; n < kSize; ++n) {
      expected[n] = std::fma(a[k], b[k * kSize + n], expected[n]);
    }
  }
  for (const KernelLevel& level : AvailableKernels()) {
    if (level.name == "plain") continue;
    AlignedVector<TypeParam> c(kSize);
    level.Of<TypeParam>().multiply({.rows = 1,
                                    .columns = kSize,
                                    .depth = kSize,
                                    .a = a.data(),
                                    .a_row = kSize,
                                    .b = b.data(),
                                    .b_row = kSize,
                                    .c = c.data(),
                                    .c_row = kSize});
    EXPECT_EQ(c, expected) << level.name;
  }
}

TYPED_TEST(KernelsTest, TanhIsExactToAFewUnitsEverywhere) {
  const double unit = sizeof(TypeParam) == 4 ? 0x1p-24 : 0x1p-53;
  for (const KernelLevel& level : AvailableKernels()) {
    AlignedVector<TypeParam> x;
    for (double size = 1e-12; size < 50; size *= 1.01) {
      x.push_back(static_cast<TypeParam>(size));
      x.push_back(static_cast<TypeParam>(-size));
    }
    while (x.size() % kPadding != 0) x.push_back(0);
    AlignedVector<TypeParam> y = x;
    level.Of<TypeParam>().tanh(y.data(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = std::tanh(static_cast<double>(x[i]));
      EXPECT_NEAR(static_cast<double>(y[i]), expected, 5 * unit * std::abs(expected)) << x[i];
    }
  }
}

TYPED_TEST(KernelsTest, AdamMovesAsItsPaperSays) {
  for (const KernelLevel& level : AvailableKernels()) {
    AlignedVector<TypeParam> parameter(kPadding, 1);
    AlignedVector<TypeParam> gradient(kPadding, 3);
    AlignedVector<TypeParam> first(kPadding, 0.5);
    AlignedVector<TypeParam> second(kPadding, 0.25);
    level.Of<TypeParam>().adam({.count = kPadding,
                                .parameters = parameter.data(),
                                .gradients = gradient.data(),
                                .first = first.data(),
                                .second = second.data(),
                                .gradient_scale = static_cast<TypeParam>(0.5),
                                .beta1 = static_cast<TypeParam>(0.9),
                                .beta2 = static_cast<TypeParam>(0.99),
                                .rate = static_cast<TypeParam>(0.1),
                                .second_scale = 2,
                                .epsilon = static_cast<TypeParam>(0.01)});
    const double m = 0.9 * 0.5 + 0.1 * 1.5;
    const double v = 0.99 * 0.25 + 0.01 * 2.25;
    EXPECT_NEAR(static_cast<double>(first[5]), m, 1e-6);
    EXPECT_NEAR(static_cast<double>(second[5]), v, 1e-6);
    EXPECT_NEAR(static_cast<double>(parameter[5]), 1 - 0.1 * m / (2 * std::sqrt(v) + 0.01), 1e-6);
  }
}

TEST(KernelLevelTest, ThePlainLevelIsAlwaysThere) {
  EXPECT_EQ(AvailableKernels().back().name, "plain");
  RecordProperty("best", BestKernels().name);
}

}  // namespace
}  // namespace hone::learn
