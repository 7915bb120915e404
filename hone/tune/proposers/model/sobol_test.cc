// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/sobol.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <vector>

namespace hone::tune {
namespace {

TEST(ScrambledSobolTest, EveryPowerOfTwoFillsEveryCellOnce) {
  ScrambledSobol sobol(5, Rng(3));
  std::vector<std::vector<double>> points;
  for (int i = 0; i < 64; ++i) points.push_back(sobol.Next());
  for (std::size_t k = 0; k < 5; ++k) {
    std::set<int> cells;
    for (const auto& point : points) cells.insert(static_cast<int>(point[k] * 64));
    EXPECT_EQ(cells.size(), 64u) << "dimension " << k;
  }
}

TEST(ScrambledSobolTest, TwoDimensionsFillTheSquareEvenly) {
  ScrambledSobol sobol(2, Rng(4));
  std::set<std::pair<int, int>> cells;
  for (int i = 0; i < 64; ++i) {
    const auto point = sobol.Next();
    cells.insert({static_cast<int>(point[0] * 8), static_cast<int>(point[1] * 8)});
  }
  EXPECT_EQ(cells.size(), 64u);
}

TEST(ScrambledSobolTest, SeedsScrambleDifferentlyAndRepeatably) {
  ScrambledSobol first(3, Rng(1));
  ScrambledSobol again(3, Rng(1));
  ScrambledSobol other(3, Rng(2));
  const auto point = first.Next();
  EXPECT_EQ(point, again.Next());
  EXPECT_NE(point, other.Next());
}

TEST(ScrambledSobolTest, MoreDimensionsThanTheTableHasStayInTheUnitCube) {
  ScrambledSobol sobol(4000, Rng(1));
  for (int i = 0; i < 2; ++i) {
    const auto point = sobol.Next();
    ASSERT_EQ(point.size(), 4000u);
    for (const double u : point) EXPECT_TRUE(u >= 0 && u < 1);
    EXPECT_NE(point[3998], point[3999]);
  }
}

}  // namespace
}  // namespace hone::tune
