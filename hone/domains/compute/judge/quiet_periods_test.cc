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

TEST(QuietPeriodsTest, AFasterLevelIsLearntAtOnceAndALostOneForgottenSlowly) {
  const QuietPeriods fast = FindQuietPeriods(std::vector<double>(10, 1e5), 1.5e5);
  EXPECT_EQ(fast.count, 10);
  double known = NextLevel(1.5e5, fast);
  EXPECT_DOUBLE_EQ(known, 1e5);
  int evaluations = 0;
  for (; FindQuietPeriods(std::vector<double>(10, 1.5e5), known).count == 0; ++evaluations) {
    ASSERT_LT(evaluations, 50);
    known = NextLevel(known, FindQuietPeriods(std::vector<double>(10, 1.5e5), known));
  }
  EXPECT_GT(evaluations, 5);
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
