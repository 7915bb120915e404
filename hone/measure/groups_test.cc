// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/groups.h"

#include <gtest/gtest.h>

#include "hone/core/rng.h"

namespace hone {
namespace {

TEST(KruskalWallisTest, MatchesThePublishedMucociliaryExample) {
  // Hollander and Wolfe (1973), page 116; R's help page of kruskal.test gives
  // chi-squared = 0.77143, df = 2, p = 0.68.
  const double p =
      KruskalWallisP({{2.9, 3.0, 2.5, 2.6, 3.2}, {3.8, 2.7, 4.0, 2.4}, {2.8, 3.4, 3.7, 2.2, 2.0}});
  EXPECT_NEAR(p, 0.68, 0.001);
}

TEST(KruskalWallisTest, FindsAGroupThatLiesApart) {
  EXPECT_LT(KruskalWallisP({{1, 2, 3, 4, 5}, {1.5, 2.5, 3.5, 4.5, 5.5}, {11, 12, 13, 14, 15}}),
            0.02);
}

TEST(KruskalWallisTest, RejectsEqualGroupsAsOftenAsItsLevelSays) {
  Rng rng(8);
  int rejected = 0;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::vector<double>> groups(6);
    for (auto& group : groups) {
      for (int i = 0; i < 4; ++i) group.push_back(rng.Normal() / (0.1 + rng.Uniform()));
    }
    rejected += KruskalWallisP(groups) < 0.05 ? 1 : 0;
  }
  EXPECT_LT(rejected, 0.065 * kRounds);
  EXPECT_GT(rejected, 0.015 * kRounds);
}

TEST(KruskalWallisTest, SaysNothingWithoutVariationOrGroups) {
  EXPECT_EQ(KruskalWallisP({}), 1);
  EXPECT_EQ(KruskalWallisP({{1, 2, 3}}), 1);
  EXPECT_EQ(KruskalWallisP({{1, 1}, {1, 1, 1}}), 1);
}

}  // namespace
}  // namespace hone
