// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/counter_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "hone/tune/campaign/history_for_test.h"

namespace hone::tune {
namespace {

using testing::HasSubstr;

// A proven gain whose samples hold what `fill` puts there: the arm, and noise around 0.
CampaignHistory Counted(const std::function<void(Sample&, double noise)>& fill) {
  CampaignHistory history = HistoryBuilder::Gain();
  Rng rng(11);
  for (HistoryBlock& block : history.blocks) {
    for (Sample& sample : block.evaluation.samples) fill(sample, rng.Normal());
  }
  return history;
}

bool IsCandidate(const Sample& sample) { return sample.arm == Arm::kCandidate; }

const CounterChange* Find(const CounterReport& report, const std::string& name) {
  const auto found = std::ranges::find_if(
      report.changes, [&](const CounterChange& change) { return change.name == name; });
  return found == report.changes.end() ? nullptr : &*found;
}

TEST(CounterChangesTest, WhatMovedComesFirstWithItsIntervalAndItsMeaning) {
  const auto report = CountersOf(Counted([](Sample& sample, double noise) {
    sample.observations["page_faults"] = 500 + 5 * noise;
    sample.observations["context_switches"] = (IsCandidate(sample) ? 600 : 1000) + noise;
  }));
  ASSERT_EQ(report.changes.size(), 3U);  // The run's time is the third.
  const CounterChange& first = report.changes.front();
  EXPECT_EQ(first.name, "context_switches");
  EXPECT_TRUE(first.has_moved);
  EXPECT_NEAR(first.change.effect, -0.4, 0.01);
  EXPECT_LT(first.change.interval.high, -0.38);
  EXPECT_EQ(first.change.count, 12);
  EXPECT_EQ(first.meaning, "tasks were switched less often");
  EXPECT_EQ(ChangeText(first, -0.4), "-40.0 %");
  EXPECT_EQ(LevelText(first, 1000), "1000");
  const CounterChange& other = *Find(report, "page_faults");
  EXPECT_FALSE(other.has_moved);
  EXPECT_EQ(MeaningText(other), "not shown to change");
}

TEST(CounterChangesTest, SharesChangeByPoints) {
  const auto report = CountersOf(Counted([](Sample& sample, double noise) {
    sample.observations["pressure_io_some"] =
        IsCandidate(sample) ? 0 : 0.2 + 0.01 * std::abs(noise);
  }));
  const CounterChange& change = *Find(report, "pressure_io_some");
  EXPECT_NEAR(change.change.effect, -0.21, 0.01);
  EXPECT_EQ(change.meaning, "tasks of the machine waited less for disks");
  EXPECT_EQ(ChangeText(change, -0.21), "-21.0 points");
  EXPECT_EQ(ChangeText(change, -0.0001), "+0.0 points");
  EXPECT_EQ(LevelText(change, 0.205), "20.5 %");
}

TEST(CounterChangesTest, WhatTheBaselineNeverDidIsSaidAsANumber) {
  const auto report = CountersOf(Counted([](Sample& sample, double noise) {
    sample.observations["major_faults"] = IsCandidate(sample) ? 50 + noise : 0;
    sample.observations["cpu_migrations"] = 0;
  }));
  const CounterChange& change = *Find(report, "major_faults");
  EXPECT_TRUE(change.has_moved);
  EXPECT_EQ(ChangeText(change, 50), "+50");
  EXPECT_EQ(Find(report, "cpu_migrations"), nullptr);
}

TEST(CounterChangesTest, InstructionsPerCycleComeFromBoth) {
  const auto report = CountersOf(Counted([](Sample& sample, double noise) {
    sample.observations["instructions"] = 3000;
    sample.observations["cycles"] = (IsCandidate(sample) ? 1000 : 1500) + noise;
  }));
  EXPECT_NEAR(Find(report, "instructions_per_cycle")->change.effect, 0.5, 0.01);
}

TEST(CounterChangesTest, MovingByChanceIsNoMove) {
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const auto report = CountersOf(Counted([&](Sample& sample, double) {
      for (const char* name : {"instructions", "cycles", "cache_misses", "context_switches",
                               "cpu_migrations", "page_faults", "major_faults", "cpu_time_s"}) {
        sample.observations[name] = 100 + rng.Normal();
      }
    }));
    moved += report.changes.front().has_moved ? 1 : 0;
  }
  EXPECT_LE(moved, 20);  // 5 % of 200 are expected at most; more than 20 have a chance of 0.2 %.
}

TEST(CounterChangesTest, SamplesWithoutCountersTellNothing) {
  EXPECT_TRUE(CountersOf(HistoryBuilder::Gain()).changes.empty());
  CampaignHistory unfinished = HistoryBuilder::Gain();
  unfinished.campaign.verdict.reset();
  EXPECT_TRUE(CountersOf(unfinished).changes.empty());
}

TEST(CounterChangesTest, WhatCouldNotBeCountedIsSaidWithItsReason) {
  CampaignHistory history =
      Counted([](Sample& sample, double) { sample.observations["page_faults"] = 7; });
  history.campaign.start.machine[kNotCountedFact] = "cycles: no hardware";
  const CounterReport report = CountersOf(history);
  EXPECT_EQ(report.missing, "cycles: no hardware");
  EXPECT_THAT(ToJson(report).dump(), HasSubstr(R"("missing":"cycles: no hardware")"));
}

}  // namespace
}  // namespace hone::tune
