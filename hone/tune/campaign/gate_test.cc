// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/gate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "hone/core/rng.h"

namespace hone::tune {
namespace {

CampaignSpec ThroughputSpec() {
  CampaignSpec spec;
  spec.domain = "test";
  spec.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  return spec;
}

// Pairs of an A/A gate whose k-th run reports value(k).
std::vector<SamplePair> PairsFrom(int pairs, const std::function<double(int)>& value) {
  std::vector<SamplePair> made(static_cast<std::size_t>(pairs));
  int run = 0;
  for (SamplePair& pair : made) {
    for (Sample* sample : {&pair.baseline, &pair.candidate}) {
      sample->metrics["throughput"] = Reading{value(run), 0, 1};
      sample->started = WallTime{std::chrono::seconds{run++}};
      sample->duration = std::chrono::milliseconds{250};
    }
  }
  return made;
}

bool Warns(const GateReport& report, const std::string& words) {
  for (const std::string& warning : report.warnings) {
    if (warning.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(GateTest, QuietBenchmarkIsDescribedWithoutWarnings) {
  Rng rng(1);
  const auto report =
      JudgeGate(ThroughputSpec(), 4,
                PairsFrom(20, [&](int) { return 1000 * std::exp(0.01 * rng.Normal()); }));
  ASSERT_TRUE(report);
  EXPECT_NEAR(report->noise, 0.014, 0.007);
  EXPECT_NEAR(report->variation, 0.01, 0.005);
  EXPECT_TRUE(report->warnings.empty());
  EXPECT_LT(report->detectable, 0.02);
  EXPECT_EQ(report->run_time, std::chrono::milliseconds(250));
  EXPECT_GT(report->planned_runs, 100);
}

TEST(GateTest, DriftIsFoundAndSaid) {
  Rng rng(2);
  const auto report = JudgeGate(ThroughputSpec(), 4, PairsFrom(20, [&](int run) {
                                  return 1000 * std::exp(-0.01 * run + 0.01 * rng.Normal());
                                }));
  ASSERT_TRUE(report);
  EXPECT_LT(report->drift, -0.2);
  EXPECT_TRUE(Warns(*report, "throughput drifts by"));
}

TEST(GateTest, RunsThatHangTogetherAreSaidWhereChanceDoesNotExplainIt) {
  const auto warns = [](int pairs) {
    const auto report = JudgeGate(ThroughputSpec(), 4, PairsFrom(pairs, [](int run) {
                                    return 1000.0 + 10 * (run / 4 % 2) + 0.1 * (run % 2);
                                  }));
    EXPECT_TRUE(report && report->autocorrelation > 0.5);
    return report && Warns(*report, "neighbouring runs of throughput hang together");
  };
  EXPECT_TRUE(warns(20));
  EXPECT_FALSE(warns(4));
}

TEST(GateTest, NoiseThatHidesEverythingIsSaidWithWhatToDo) {
  Rng rng(3);
  const auto report = JudgeGate(
      ThroughputSpec(), 4, PairsFrom(20, [&](int) { return 1000 * std::exp(0.5 * rng.Normal()); }));
  ASSERT_TRUE(report);
  EXPECT_TRUE(Warns(*report, "make the benchmark longer"));
}

TEST(GateTest, BaselineThatDiffersFromItselfIsSuspicious) {
  const auto report =
      JudgeGate(ThroughputSpec(), 4,
                PairsFrom(20, [](int run) { return run % 2 == 0 ? 1000.0 + run : 1100.0 + run; }));
  ASSERT_TRUE(report);
  EXPECT_TRUE(Warns(*report, "the baseline differs from itself"));
}

TEST(GateTest, IntervalThatLeavesOutZeroIsWarnedOfAsWhatChanceMayDo) {
  // Of 10 pairs one is negative and small, one negative and larger: p = 0.02.
  const std::vector<double> shifts{0.010, 0.012, 0.014, 0.016,  0.018,
                                   0.020, 0.022, 0.024, -0.001, -0.013};
  const auto report = JudgeGate(ThroughputSpec(), 4, PairsFrom(10, [&](int run) {
                                  const double shift = shifts[static_cast<std::size_t>(run / 2)];
                                  return 1000 * std::exp(run % 2 == 0 ? 0 : shift);
                                }));
  ASSERT_TRUE(report);
  ASSERT_GT(report->difference.interval.low, 0);
  ASSERT_GT(report->difference.p_value, 0.01);
  EXPECT_TRUE(Warns(*report, "leaves out 0"));
  EXPECT_FALSE(Warns(*report, "differs from itself"));
}

TEST(GateTest, DisturbedRunsAreCounted) {
  auto pairs = PairsFrom(8, [](int run) { return 1000.0 + run % 3; });
  pairs[3].candidate.marks = {"steal 7 %"};
  const auto report = JudgeGate(ThroughputSpec(), 4, pairs);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->marked_runs, 1);
}

TEST(GateTest, NoiselessBenchmarkIsFine) {
  const auto report = JudgeGate(ThroughputSpec(), 4, PairsFrom(8, [](int) { return 1000.0; }));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->variation, 0);
  EXPECT_TRUE(report->warnings.empty());
}

TEST(GateTest, RuleThatTheBaselineCannotServeIsAnError) {
  CampaignSpec spec = ThroughputSpec();
  spec.rule.objectives[0].metric = "latency";
  const auto report = JudgeGate(spec, 4, PairsFrom(8, [](int) { return 1000.0; }));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "metric latency: the run did not report it");
}

}  // namespace
}  // namespace hone::tune
