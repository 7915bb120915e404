// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch_level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hone/measure/noise_for_test.h"
#include "hone/measure/statistics.h"

namespace hone::tune {
namespace {

using testing::HasSubstr;

Sample LevelSample(double rate) {
  Sample sample;
  sample.metrics["rate"] = {.value = rate};
  return sample;
}

RewardRule LevelRule() {
  RewardRule rule;
  rule.objectives = {{"rate"}};
  rule.limits = {{"rate", false, 0.9, true}};
  return rule;
}

TEST(RecentRunsTest, TheTypicalRunIsTheMedianOfTheLatest) {
  RecentRuns recent(LevelRule(), 5);
  for (const double rate : {1.0, 1.0, 100.0, 102.0, 98.0, 5000.0, 101.0}) {
    ASSERT_TRUE(recent.Add(LevelSample(rate)));
  }
  EXPECT_EQ(recent.size(), 5U);
  EXPECT_EQ(recent.Typical().metrics.at("rate").value, 101);
}

TEST(RecentRunsTest, TheSpreadIsThatOfSingleRuns) {
  RecentRuns recent(LevelRule(), 2000);
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(recent.Add(LevelSample(std::exp(0.05 * rng.Normal()))));
  }
  EXPECT_NEAR(recent.RewardSpread(), 0.05, 0.005);
  EXPECT_NEAR(recent.MarginSpread(recent.rule().limits[0]), 0.05 / 0.9, 0.006);
}

TEST(RecentRunsTest, ARunFromWhichTheRuleCannotBeComputedIsRefusedAndNotKept) {
  RecentRuns recent(LevelRule());
  EXPECT_THAT(recent.Add(LevelSample(0)).error().message, HasSubstr("rate"));
  EXPECT_THAT(recent.Add(Sample{}).error().message, HasSubstr("rate"));
  EXPECT_EQ(recent.size(), 0U);
}

// How many values after `quiet` ones a shift of so many spreads takes to be noticed; -1: never.
int DelayOf(double shift, std::uint64_t seed, int quiet = 100, int wait_timeout = 400) {
  ShiftDetector detector(10'000, Rng(seed).Split("ranks"));
  Rng rng = Rng(seed).Split("noise");
  for (int i = 0; i < quiet; ++i) detector.Add(rng.Normal());
  for (int i = 1; i <= wait_timeout; ++i) {
    detector.Add(shift + rng.Normal());
    if (detector.IsAlarmed()) return i;
  }
  return -1;
}

class ShiftDetectorTest : public testing::TestWithParam<Noise> {};

// The promise: within n values a chance of at most n / runs_per_false_alarm.
TEST_P(ShiftDetectorTest, FalseAlarmsStayBelowTheDeclaredRate) {
  constexpr int kSeeds = 400;
  constexpr int kValues = 1000;
  constexpr double kRate = 0.2;
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ShiftDetector detector(kValues / kRate, Rng(seed).Split("ranks"));
    Rng rng = Rng(seed).Split("noise");
    for (int i = 0; i < kValues && !detector.IsAlarmed(); ++i) detector.Add(Draw(GetParam(), rng));
    alarms += detector.IsAlarmed() ? 1 : 0;
  }
  RecordProperty("alarms", alarms);
  EXPECT_LE(alarms, kRate * kSeeds);
  EXPECT_GT(alarms, 0);  // Else it would not notice anything.
}

INSTANTIATE_TEST_SUITE_P(Shapes, ShiftDetectorTest,
                         testing::Values(Noise::kNormal, Noise::kStudent3, Noise::kLaplace),
                         [](const auto& shape) { return NameOf(shape.param); });

TEST(ShiftDetectorTest, LargeShiftsAreNoticedInAFewRunsAndSmallOnesInMore) {
  for (const double sign : {-1, 1}) {
    std::vector<double> large;
    std::vector<double> small;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      large.push_back(DelayOf(sign * 4, seed));
      small.push_back(DelayOf(sign, seed));
    }
    EXPECT_GT(*std::min_element(large.begin(), large.end()), 0);
    EXPECT_GT(*std::min_element(small.begin(), small.end()), 0);
    EXPECT_LE(Median(large), 10);
    EXPECT_LE(Median(small), 80);
  }
}

TEST(ShiftDetectorTest, TheSizeOfTheShiftIsFound) {
  ShiftDetector detector(10'000, Rng(1));
  Rng rng(2);
  for (int i = 0; i < 100; ++i) detector.Add(0.02 * rng.Normal());
  while (!detector.IsAlarmed()) detector.Add(0.02 * rng.Normal() - 0.2);
  EXPECT_NEAR(detector.Shift(), -0.2, 0.03);
  detector.Restart();
  EXPECT_FALSE(detector.IsAlarmed());
  EXPECT_EQ(detector.Count(), 0);
}

TEST(ShiftDetectorTest, AConstantSeriesIsNoShift) {
  ShiftDetector detector(10'000, Rng(1));
  for (int i = 0; i < 500; ++i) detector.Add(7);
  EXPECT_FALSE(detector.IsAlarmed());
  EXPECT_EQ(detector.Shift(), 0);
}

}  // namespace
}  // namespace hone::tune
