// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/levelled_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "hone/core/rng.h"
#include "hone/domains/compute/judge/quiet_periods.h"
#include "hone/measure/paired.h"
#include "hone/measure/statistics.h"

namespace hone::compute {
namespace {

TEST(LevelledTimesTest, ASlowDistributionIsNoSlowSpell) {
  Rng rng(1);
  std::vector<double> times;
  std::vector<std::size_t> variants;
  for (int i = 0; i < 60; ++i) {
    variants.push_back(rng.Below(3));
    const double slow = i >= 40 ? 1.3 : 1;  // The machine.
    times.push_back((variants.back() == 2 ? 400'000 : 100'000) * slow);
  }
  EXPECT_LT(FindQuietPeriods(times, 0).count, 20);
  const std::vector<double> levelled = LevelledTimes(times, variants);
  const QuietPeriods quiet = FindQuietPeriods(levelled, 0);
  EXPECT_EQ(quiet.count, 39);
  EXPECT_NEAR(quiet.level, std::exp((2 * std::log(100'000) + std::log(400'000)) / 3), 1);
}

TEST(LevelledTimesTest, DistributionsThatTakeAboutAsLongAreLeftAsTheyAre) {
  const std::vector<double> times = {100, 101, 102, 103, 104, 105};
  EXPECT_EQ(LevelledTimes(times, std::vector<std::size_t>{0, 1, 0, 1, 0, 1}), times);
}

TEST(LevelledTimesTest, SoIsOneThatWasHardlySeen) {
  const std::vector<double> times = {100, 100, 100, 100, 500};
  EXPECT_EQ(LevelledTimes(times, std::vector<std::size_t>{0, 0, 0, 0, 1}), times);
  EXPECT_TRUE(LevelledTimes({}, {}).empty());
}

// Logarithms of ratios.
struct MadeRatios {
  std::vector<double> ratios;
  std::vector<std::size_t> variants;

  void Add(std::size_t variant, double ratio) {
    ratios.push_back(ratio);
    variants.push_back(variant);
  }
};

TEST(LevelRatiosTest, EachDistributionCountsAlikeHoweverManyPairsItHas) {
  for (const int of_the_fast_one : {4, 10, 40}) {
    MadeRatios made;
    Rng rng(1);
    for (std::size_t variant = 0; variant < 4; ++variant) {
      const int pairs = variant == 0 ? of_the_fast_one : 10;
      for (int i = 0; i < pairs; ++i) {
        made.Add(variant, (variant == 0 ? std::log(3) : 0) + 0.01 * rng.Normal());
      }
    }
    const LevelledRatios levelled = LevelRatios(made.ratios, made.variants, 4);
    EXPECT_NEAR(HodgesLehmann(levelled.ratios), std::log(3) / 4, 0.01);
  }
}

TEST(LevelRatiosTest, ADistributionThatNeverCountedIsNoGain) {
  MadeRatios made;
  for (int i = 0; i < 10; ++i) made.Add(0, std::log(3));
  EXPECT_NEAR(HodgesLehmann(LevelRatios(made.ratios, made.variants, 2).ratios), std::log(3) / 2,
              1e-9);
}

// The interval that is made of them covers the geometric mean as often as it says, also where the
// distributions scatter differently.
TEST(LevelRatiosTest, TheirIntervalCoversTheGeometricMean) {
  Rng rng(1);
  for (const double more : {0.0, 1.0}) {
    for (const int pairs : {10, 16, 24, 60, 120}) {
      int covered = 0;
      constexpr int kTimes = 1000;
      for (int time = 0; time < kTimes; ++time) {
        MadeRatios made;
        for (int i = 0; i < pairs; ++i) {
          const auto variant = static_cast<std::size_t>(i % 4);
          const auto place = static_cast<double>(variant);
          made.Add(variant, place + 0.1 * (1 + more * place) * rng.Normal());
        }
        const LevelledRatios levelled = LevelRatios(made.ratios, made.variants, 4);
        const PairedTest test = TestPairs(levelled.ratios);
        const double low = test.effect - levelled.widening * (test.effect - test.interval.low);
        const double high = test.effect + levelled.widening * (test.interval.high - test.effect);
        covered += low <= 1.5 && 1.5 <= high ? 1 : 0;
      }
      EXPECT_GE(covered, 0.93 * kTimes) << pairs << " " << more;
    }
  }
}

TEST(LevelRatiosTest, WhereNoTwoAreOfOneDistributionNothingIsKnownOfTheirScatter) {
  const std::vector<double> ratios = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  const std::vector<std::size_t> variants = {0, 1, 2, 3, 4, 5};
  EXPECT_TRUE(std::isinf(LevelRatios(ratios, variants, 6).widening));
}

TEST(LevelRatiosTest, OfOneDistributionNothingChanges) {
  const std::vector<double> ratios = {0.1, 0.2, 0.3};
  EXPECT_EQ(LevelRatios(ratios, std::vector<std::size_t>{0, 0, 0}, 1).ratios, ratios);
  EXPECT_EQ(LevelRatios(ratios, std::vector<std::size_t>{0, 0, 0}, 1).widening, 1);
}

}  // namespace
}  // namespace hone::compute
