// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/drift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "hone/measure/noise_for_test.h"

namespace hone {
namespace {

// Michelson's speed of light (km/s, less 299000), in the order of measurement; NIST StRD
// "Michelso", certified lag-1 autocorrelation 0.535199668621283.
const std::vector<double> kMichelson = {
    850,  740, 900, 1070, 930, 850, 950, 980, 980, 880, 1000, 980, 930, 650, 760, 810, 1000,
    1000, 960, 960, 960,  940, 960, 940, 880, 800, 850, 880,  900, 840, 830, 790, 810, 880,
    880,  830, 800, 790,  760, 800, 880, 880, 880, 860, 720,  720, 620, 860, 970, 950, 880,
    910,  850, 870, 840,  840, 850, 840, 840, 840, 890, 810,  810, 820, 800, 770, 760, 740,
    750,  760, 910, 920,  890, 860, 880, 720, 840, 850, 850,  780, 890, 840, 780, 810, 760,
    810,  790, 810, 820,  850, 870, 870, 810, 740, 810, 940,  950, 800, 810, 870};

// Annual flow of the Nile at Aswan, 1871 to 1970; it fell after 1898 (Cobb, 1978).
const std::vector<double> kNile = {
    1120, 1160, 963, 1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935,  1110, 994,  1020,
    960,  1180, 799, 958,  1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774,  840,
    874,  694,  940, 833,  701,  916,  692,  1020, 1050, 969,  831,  726,  456,  824,  702,
    1120, 1100, 832, 764,  821,  768,  845,  864,  862,  698,  845,  744,  796,  1040, 759,
    781,  865,  845, 944,  984,  897,  822,  1010, 771,  676,  649,  846,  812,  742,  801,
    1040, 860,  874, 848,  890,  744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,
    1020, 906,  901, 1170, 912,  746,  919,  718,  714,  740};

// R 4.2: cor.test(1:10, x, method = "kendall"), exact.
TEST(TrendTest, ExactPMatchesR) {
  const std::vector<double> values = {3, 1, 4, 2, 6, 5, 9, 7, 8, 10};
  EXPECT_NEAR(FitTrend(values).p_value, 0.00221285273, 1e-11);
}

// R 4.2: cor.test(1:8, x, method = "kendall", exact = FALSE, continuity = TRUE), z = 2.890092.
TEST(TrendTest, PWithTiesMatchesR) {
  const std::vector<double> values = {1, 2, 2, 4, 3, 5, 5, 7};
  EXPECT_NEAR(FitTrend(values).p_value, 0.00385129138, 1e-11);
}

TEST(TrendTest, ExactPMatchesEnumerationOfAllOrders) {
  std::vector<double> order = {1, 2, 3, 4, 5, 6};
  const std::vector<double> observed = {2, 1, 3, 5, 4, 6};  // Two inversions: S = 11.
  int extreme = 0;
  int all = 0;
  do {
    int score = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) score += order[j] > order[i] ? 1 : -1;
    }
    ++all;
    extreme += std::abs(score) >= 11;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_DOUBLE_EQ(FitTrend(observed).p_value, static_cast<double>(extreme) / all);
}

TEST(TrendTest, SlopeIsTheMedianOfThePairSlopes) {
  // Slopes of {1, 2, 4, 4}: 1, 2, 0 at distance 1; 1.5, 1 at 2; 1 at 3.
  const Trend trend = FitTrend(std::vector<double>{1, 2, 4, 4});
  EXPECT_DOUBLE_EQ(trend.slope, 1);
  EXPECT_DOUBLE_EQ(trend.intercept, 1);  // Of 1, 1, 2, 1.
}

TEST(TrendTest, OneWildRunDoesNotMakeATrend) {
  std::vector<double> values = {10, 11, 10.5, 10.2, 10.9, 10.4, 10.7, 10.1, 10.6, 10.3};
  values[8] = 1000;
  EXPECT_LT(std::abs(FitTrend(values).slope), 0.1);
}

TEST(TrendTest, ShortAndConstantSeriesHaveNone) {
  EXPECT_EQ(FitTrend(std::vector<double>{5}).p_value, 1);
  EXPECT_EQ(FitTrend(std::vector<double>{5, 5, 5, 5}).p_value, 1);
  EXPECT_EQ(FitTrend(std::vector<double>{5, 5, 5, 5}).slope, 0);
  EXPECT_EQ(FitTrend(std::vector<double>{5}).intercept, 5);
}

TEST(TrendTest, LongSeriesWithoutDriftIsRarelyMarked) {
  Rng rng(14);
  int marked = 0;
  for (int i = 0; i < 1000; ++i) {
    marked += FitTrend(Draw(Noise::kStudent3, 60, rng)).p_value <= 0.05;
  }
  EXPECT_NEAR(marked, 50, 21);
}

TEST(AutocorrelationTest, MatchesNist) {
  EXPECT_NEAR(Lag1Autocorrelation(kMichelson), 0.535199668621283, 1e-13);
  EXPECT_DOUBLE_EQ(Lag1Autocorrelation(std::vector<double>{10000001, 10000003, 10000002}), -0.5);
}

TEST(ChangePointTest, FindsTheNileIn1899) {
  const ChangePoint change = FindChangePoint(kNile);
  EXPECT_EQ(1871 + change.index, 1899);
  EXPECT_LT(change.shift, -200);
  EXPECT_LT(change.p_value, 1e-6);
}

TEST(ChangePointTest, StatisticMatchesAHandComputedStep) {
  // Ranks {1, 2, 3, 4, 5, 6} walk -5, -8, -9, -8, -5: K = 9 after the third, n = 6.
  const ChangePoint change = FindChangePoint(std::vector<double>{1, 2, 3, 10, 11, 12});
  EXPECT_EQ(change.index, 3);
  EXPECT_DOUBLE_EQ(change.shift, 9);
  EXPECT_DOUBLE_EQ(change.p_value, 2 * std::exp(-6.0 * 81 / (216 + 36)));
}

TEST(ChangePointTest, QuietSeriesIsRarelyMarked) {
  Rng rng(15);
  int marked = 0;
  for (int i = 0; i < 2000; ++i) {
    marked += FindChangePoint(Draw(Noise::kLaplace, 30, rng)).p_value <= 0.05;
  }
  EXPECT_LE(marked, 110);
  EXPECT_EQ(FindChangePoint(std::vector<double>(9, 4.0)).p_value, 1);
  EXPECT_EQ(FindChangePoint(std::vector<double>{1}).p_value, 1);
}

}  // namespace
}  // namespace hone
