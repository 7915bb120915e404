// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "hone/measure/noise_for_test.h"
#include "hone/measure/paired.h"

namespace hone {
namespace {

// The efficiency taken out again leaves Student's test at the level that the signed-rank test
// attains. R 4.2: power.t.test(n, delta = 1, sd = 1, sig.level = 2 * psignrank(qsignrank(0.025, n)
// - 1, n), type = "one.sample", strict = TRUE).
TEST(PowerTest, MatchesRForStudentsTest) {
  const double inflated = std::sqrt(std::numbers::pi / 3);
  EXPECT_NEAR(PowerOf(inflated, 1, 8), 0.628271637418, 1e-9);
  EXPECT_NEAR(PowerOf(inflated, 1, 20), 0.988081377984, 1e-9);
}

TEST(PowerTest, SimulatedPowerOfTheSignedRankTestIsAsPromised) {
  Rng rng(21);
  for (const std::int64_t pairs : {6, 7, 8, 10, 15, 40}) {
    const double effect = MinimumDetectableEffect(0.05, pairs);
    constexpr int kCampaigns = 4000;
    int found = 0;
    for (int i = 0; i < kCampaigns; ++i) {
      std::vector<double> values = Draw(Noise::kNormal, static_cast<std::size_t>(pairs), rng);
      for (double& value : values) value = effect + 0.05 * value;
      found += TestPairs(values).p_value <= 0.05;
    }
    EXPECT_NEAR(found / double{kCampaigns}, 0.8, 0.04) << pairs;
  }
}

TEST(PowerTest, TooFewPairsFindNothing) {
  EXPECT_EQ(PowerOf(10, 0.01, 0), 0);
  EXPECT_EQ(PowerOf(10, 0.01, 5), 0);
  EXPECT_GT(PowerOf(10, 0.01, 6), 0.99);
  EXPECT_TRUE(std::isinf(MinimumDetectableEffect(0.01, 5)));
  EXPECT_EQ(PairsNeeded(10, 0.01), 6);
  EXPECT_EQ(PairsNeeded(10, 0.01, 0.01), 8);
}

TEST(PowerTest, TheThreeFunctionsAgree) {
  for (const std::int64_t pairs : {6, 10, 33, 500, 5000}) {
    const double effect = MinimumDetectableEffect(0.03, pairs);
    EXPECT_NEAR(PowerOf(effect, 0.03, pairs), 0.8, 1e-6);
    EXPECT_EQ(PairsNeeded(effect, 0.03), pairs);
  }
}

// As docs/measurement.md shows it.
TEST(PowerTest, SmallestGainsAreAsInTheDocument) {
  EXPECT_NEAR(std::expm1(MinimumDetectableEffect(0.05, 6)), 0.094, 5e-4);
  EXPECT_NEAR(std::expm1(MinimumDetectableEffect(0.05, 12)), 0.048, 5e-4);
  EXPECT_NEAR(std::expm1(MinimumDetectableEffect(0.02, 20)), 0.014, 5e-4);
  EXPECT_NEAR(std::expm1(MinimumDetectableEffect(0.10, 100)), 0.029, 5e-4);
}

TEST(PowerTest, ExtremesAreAnswered) {
  EXPECT_NEAR(PowerOf(0, 1, 20), 0.0484409332275, 1e-9);  // What 20 signs can attain.
  EXPECT_EQ(PowerOf(1000, 0.01, 1000), 1);
  EXPECT_EQ(PowerOf(0.1, 0, 20), 1);
  EXPECT_EQ(MinimumDetectableEffect(0, 20), 0);
  EXPECT_EQ(PairsNeeded(1e-6, 1), kMaxPairs);
  EXPECT_NEAR(PowerOf(-0.1, 0.1, 12), PowerOf(0.1, 0.1, 12), 1e-12);
}

TEST(PowerTest, NormalTakesOverFromNoncentralTWithoutAStep) {
  const double effect = MinimumDetectableEffect(1, 2000);
  EXPECT_NEAR(PowerOf(effect, 1, 2001), PowerOf(effect, 1, 2000), 1e-3);
}

}  // namespace
}  // namespace hone
