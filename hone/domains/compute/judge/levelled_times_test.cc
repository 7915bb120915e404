// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/levelled_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "hone/core/rng.h"
#include "hone/domains/compute/judge/quiet_periods.h"
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

}  // namespace
}  // namespace hone::compute
