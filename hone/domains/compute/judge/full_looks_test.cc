// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/full_looks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hone::compute {
namespace {

std::vector<bool> LooksOf(std::size_t pairs, std::uint64_t every, std::uint64_t seed) {
  FullLooks looks(every);
  Rng rng(seed);
  std::vector<bool> made;
  for (std::size_t i = 0; i < pairs; ++i) made.push_back(looks.IsNext(Rng(rng.Next())));
  return made;
}

TEST(FullLooksTest, AnyThirdOfThePairsHasOne) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const std::size_t pairs : {13U, 20U, 60U, 400U}) {
      const std::vector<bool> made = LooksOf(pairs, 16, seed);
      for (std::size_t begin = 0; begin + pairs / 3 <= pairs; ++begin) {
        const auto first = made.begin() + static_cast<std::ptrdiff_t>(begin);
        EXPECT_GT(std::count(first, first + static_cast<std::ptrdiff_t>(pairs / 3), true), 0)
            << "from " << begin << " of " << pairs;
      }
    }
  }
}

TEST(FullLooksTest, NobodyKnowsWhen) {
  std::vector<int> looks(100);
  constexpr int kRounds = 1000;
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    const std::vector<bool> made = LooksOf(looks.size(), 16, seed);
    for (std::size_t i = 0; i < made.size(); ++i) looks[i] += made[i] ? 1 : 0;
  }
  EXPECT_GT(*std::ranges::min_element(looks), kRounds / 32);
  EXPECT_LT(*std::ranges::max_element(looks), kRounds * 2 / 3);
}

TEST(FullLooksTest, InTheLongRunTheyAreAsRareAsWanted) {
  const std::vector<bool> made = LooksOf(10'000, 16, 1);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(made, true)), 10'000 / 16.0, 20);
  EXPECT_EQ(std::ranges::count(LooksOf(50, 1, 1), true), 50);
}

}  // namespace
}  // namespace hone::compute
