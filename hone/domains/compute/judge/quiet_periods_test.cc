// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/quiet_periods.h"

#include <gtest/gtest.h>

#include "hone/core/rng.h"

namespace hone::compute {
namespace {

// So many times about `level`, give or take 2 %.
void Append(std::vector<double>& times, int count, double level, Rng& rng) {
  for (int i = 0; i < count; ++i) times.push_back(level * (0.98 + 0.04 * rng.Uniform()));
}

TEST(QuietPeriodsTest, OnAQuietMachineAllPairsAreCalm) {
  Rng rng(1);
  std::vector<double> times;
  Append(times, 50, 1e5, rng);
  const QuietPeriods quiet = FindQuietPeriods(times, 0);
  EXPECT_EQ(quiet.count, 50);
  EXPECT_NEAR(quiet.level, 1e5, 1e3);
}

TEST(QuietPeriodsTest, ASlowSpellIsLeftOutWithItsEdges) {
  Rng rng(2);
  std::vector<double> times;
  Append(times, 20, 1e5, rng);
  Append(times, 20, 1.5e5, rng);
  Append(times, 20, 1e5, rng);
  const QuietPeriods quiet = FindQuietPeriods(times, 0);
  EXPECT_EQ(quiet.count, 38);
  EXPECT_FALSE(quiet.is_quiet[19]);
  EXPECT_FALSE(quiet.is_quiet[40]);
  EXPECT_TRUE(quiet.is_quiet[41]);
  EXPECT_NEAR(quiet.level, 1e5, 1e3);
}

TEST(QuietPeriodsTest, ASpellLongerThanTheEvaluationShowsWhereTheLevelIsKnown) {
  Rng rng(3);
  std::vector<double> times;
  Append(times, 30, 1.5e5, rng);
  EXPECT_EQ(FindQuietPeriods(times, 0).count, 30);
  const QuietPeriods quiet = FindQuietPeriods(times, 1e5);
  EXPECT_EQ(quiet.count, 0);
  EXPECT_NEAR(quiet.level, 1.5e5, 2e3);
}

TEST(QuietPeriodsTest, OneSlowCallTakesItsNeighboursAlong) {
  std::vector<double> times(11, 1e5);
  times[5] = 1.3e5;
  const QuietPeriods quiet = FindQuietPeriods(times, 1e5);
  EXPECT_EQ(quiet.count, 8);
  EXPECT_FALSE(quiet.is_quiet[4]);
  EXPECT_FALSE(quiet.is_quiet[6]);
}

// Each is taken before its pair: what comes after one may be the work of a kernel that knows how
// long it took.
TEST(QuietPeriodsTest, ASlowPulseSaysNothingOfThePairBeforeIt) {
  std::vector<double> pulses(11, 5000);
  pulses[5] = 6000;
  const QuietPeriods quiet = FindQuietPeriods(pulses, 5000, kPulseRoom);
  EXPECT_TRUE(quiet.is_quiet[4]);
  EXPECT_FALSE(quiet.is_quiet[5]);
  EXPECT_FALSE(quiet.is_quiet[6]);
  EXPECT_TRUE(quiet.is_quiet[7]);
  EXPECT_EQ(quiet.count, 9);
}

TEST(QuietLevelTest, AFasterLevelIsLearntAtOnceAndALostOneForgottenByTheClock) {
  const QuietLevel::Time began{};
  const auto see = [](QuietLevel& level, double time, QuietLevel::Time now) {
    level.See(FindQuietPeriods(std::vector<double>(10, time), level.ns()), now);
  };
  QuietLevel level;
  see(level, 1.5e5, began);
  EXPECT_DOUBLE_EQ(level.ns(), 1.5e5);
  see(level, 1e5, began);
  EXPECT_DOUBLE_EQ(level.ns(), 1e5);
  for (int i = 1; i <= 600; ++i) see(level, 1.5e5, began + std::chrono::milliseconds{100} * i);
  EXPECT_NEAR(level.ns(), 1.03e5, 10);  // After a minute, however many evaluations that were.
  for (int i = 1; i <= 60; ++i) see(level, 1.5e5, began + std::chrono::minutes{i});
  EXPECT_NEAR(level.ns(), 1.5e5, 1e3);
}

// Each of them is calm enough by itself.
TEST(QuietLevelTest, ALevelDoesNotCreepUpwards) {
  QuietLevel level;
  double time = 1e5;
  for (int i = 0; i < 100; ++i) {
    level.See(FindQuietPeriods(std::vector<double>(10, time), level.ns()), {});
    time = 1.05 * level.ns();
  }
  EXPECT_DOUBLE_EQ(level.ns(), 1e5);
}

TEST(SlownessTest, IsMeasuredAtTheBestThatIsKnown) {
  EXPECT_DOUBLE_EQ(SlownessOf(std::vector<double>(10, 6000), 5000), 1.2);
  EXPECT_DOUBLE_EQ(SlownessOf(std::vector<double>(10, 6000), 0), 1);
  EXPECT_DOUBLE_EQ(SlownessOf(std::vector<double>(10, 4000), 5000), 1);
  EXPECT_DOUBLE_EQ(SlownessOf({}, 5000), 1);
}

TEST(QuietPeriodsTest, CallsOfMicrosecondsMayVaryMore) {
  EXPECT_EQ(FindQuietPeriods(std::vector<double>{5000, 6000, 5500, 6300, 5100}, 5000).count, 5);
}

TEST(QuietPeriodsTest, NothingIsKnownOfNoTimes) {
  const QuietPeriods quiet = FindQuietPeriods({}, 1e5);
  EXPECT_EQ(quiet.count, 0);
  EXPECT_TRUE(quiet.is_quiet.empty());
}

}  // namespace
}  // namespace hone::compute
