// SPDX-License-Identifier: Apache-2.0
#include "hone/core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace hone {
namespace {

TEST(RngTest, FirstWordsMatchTheReferenceImplementation) {
  // xoshiro256++ seeded with SplitMix64(0), computed with the authors' C code.
  Rng rng(0);
  EXPECT_EQ(rng.Next(), 0x53175d61490b23dfULL);
  EXPECT_EQ(rng.Next(), 0x61da6f3dc380d507ULL);
  EXPECT_EQ(rng.Next(), 0x5c0fdf91ec9a7bfcULL);
}

TEST(RngTest, SameSeedGivesTheSameNumbers) {
  Rng a(42);
  Rng b(42);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.Next(), b.Next());
}

TEST(RngTest, SplittingDoesNotDependOnWhatWasDrawn) {
  Rng fresh(7);
  Rng used(7);
  for (int i = 0; i < 10; ++i) used.Next();
  EXPECT_EQ(fresh.Split("noise").Next(), used.Split("noise").Next());
  EXPECT_EQ(fresh.Split(3).Next(), used.Split(3).Next());
}

TEST(RngTest, SplitStreamsDiffer) {
  const Rng rng(7);
  EXPECT_NE(rng.Split("a").Next(), rng.Split("b").Next());
  EXPECT_NE(rng.Split(0).Next(), rng.Split(1).Next());
  EXPECT_NE(rng.Split(0).Next(), Rng(7).Next());
}

TEST(RngTest, NeighbouringStreamsAreUncorrelated) {
  const Rng root(11);
  double product = 0;
  constexpr int kCount = 20'000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    product += root.Split(i).Normal() * root.Split(i + 1).Normal();
  }
  EXPECT_LT(std::abs(product / kCount), 4 / std::sqrt(kCount));
}

TEST(RngTest, NormalHasTheRightMoments) {
  Rng rng(1);
  double sum = 0;
  double squares = 0;
  constexpr int kCount = 200'000;
  for (int i = 0; i < kCount; ++i) {
    const double x = rng.Normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.01);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
}

TEST(RngTest, BelowIsUniform) {
  Rng rng(5);
  std::map<std::uint64_t, int> counts;
  for (int i = 0; i < 60'000; ++i) ++counts[rng.Below(6)];
  ASSERT_EQ(counts.size(), 6U);
  for (const auto& [face, count] : counts) EXPECT_NEAR(count, 10'000, 500) << face;
}

TEST(RngTest, ShuffleKeepsEveryItem) {
  Rng rng(9);
  std::vector<int> items{1, 2, 3, 4, 5, 6, 7, 8};
  const auto before = items;
  rng.Shuffle(items);
  EXPECT_NE(items, before);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, before);
}

}  // namespace
}  // namespace hone
