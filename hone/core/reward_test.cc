// SPDX-License-Identifier: Apache-2.0
#include "hone/core/reward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hone {
namespace {

Sample SampleOf(Arm arm, std::map<std::string, double> values) {
  Sample sample;
  sample.arm = arm;
  for (const auto& [name, value] : values) sample.metrics[name] = Reading{value, 0, 1};
  return sample;
}

SamplePair PairOf(std::map<std::string, double> baseline, std::map<std::string, double> candidate) {
  return {SampleOf(Arm::kBaseline, std::move(baseline)),
          SampleOf(Arm::kCandidate, std::move(candidate))};
}

const Objective kThroughput{"throughput", Direction::kHigherIsBetter, 1};
const Objective kLatency{"latency", Direction::kLowerIsBetter, 1};

TEST(RewardTest, MoreThroughputAndLessLatencyAreBothPositive) {
  const auto pair =
      PairOf({{"throughput", 100}, {"latency", 10}}, {{"throughput", 110}, {"latency", 8}});
  EXPECT_NEAR(LogRatio(kThroughput, pair).value(), std::log(1.1), 1e-12);
  EXPECT_NEAR(LogRatio(kLatency, pair).value(), std::log(10.0 / 8), 1e-12);
}

TEST(RewardTest, GainIsTheWeightedMeanOfLogRatios) {
  RewardRule rule;
  rule.objectives = {kThroughput, kLatency};
  rule.objectives[1].weight = 3;
  const auto pair =
      PairOf({{"throughput", 100}, {"latency", 10}}, {{"throughput", 110}, {"latency", 8}});
  EXPECT_NEAR(PairReward(rule, pair).value(), (std::log(1.1) + 3 * std::log(1.25)) / 4, 1e-12);
}

TEST(RewardTest, PerformanceAndStabilityCountHalfEachAgainstTheBaseline) {
  RewardRule rule;
  rule.formula = RewardRule::Formula::kPerformanceAndStability;
  rule.objectives = {kThroughput, {"stability", Direction::kHigherIsBetter, 1}};
  const auto pair = PairOf({{"throughput", 5000}, {"stability", 0.8}},
                           {{"throughput", 6000}, {"stability", 0.4}});
  EXPECT_NEAR(PairReward(rule, pair).value(), 0.5 * 0.2 + 0.5 * -0.5, 1e-12);
  const auto same =
      PairOf({{"throughput", 5000}, {"stability", 0}}, {{"throughput", 5000}, {"stability", 0}});
  EXPECT_EQ(PairReward(rule, same).value(), 0);
}

TEST(RewardTest, MissingOrSenselessMetricsAreNamed) {
  const auto missing = LogRatio(kThroughput, PairOf({{"throughput", 1}}, {}));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "metric throughput: the run did not report it");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(LogRatio(kThroughput, PairOf({{"throughput", 1}}, {{"throughput", nan}})));
  EXPECT_FALSE(LogRatio(kThroughput, PairOf({{"throughput", 1}}, {{"throughput", 0}})));
}

TEST(RewardTest, RunsPairUpInOrderAndTheOddOneIsLeftOut) {
  Evaluation evaluation;
  for (const double value : {1.0, 2.0, 3.0}) {
    evaluation.samples.push_back(SampleOf(Arm::kBaseline, {{"m", value}}));
  }
  evaluation.samples.insert(evaluation.samples.begin(), SampleOf(Arm::kCandidate, {{"m", 10}}));
  evaluation.samples.push_back(SampleOf(Arm::kCandidate, {{"m", 20}}));
  const auto pairs = PairsOf(evaluation);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].baseline.metrics.at("m").value, 1);
  EXPECT_EQ(pairs[0].candidate.metrics.at("m").value, 10);
  EXPECT_EQ(pairs[1].baseline.metrics.at("m").value, 2);
  EXPECT_EQ(pairs[1].candidate.metrics.at("m").value, 20);
}

TEST(LimitTest, MarginIsNegativeExactlyWhenTheLimitIsBroken) {
  const auto pair = PairOf({{"p99", 10}}, {{"p99", 12}});
  EXPECT_LT(Margin({"p99", true, 11, false}, pair).value(), 0);
  EXPECT_GT(Margin({"p99", true, 20, false}, pair).value(), 0);
  EXPECT_LT(Margin({"p99", true, 1.05, true}, pair).value(), 0);
  EXPECT_GT(Margin({"p99", true, 1.5, true}, pair).value(), 0);
  EXPECT_LT(Margin({"p99", false, 13, false}, pair).value(), 0);
  EXPECT_EQ(ToText(Limit{"p99", true, 1.05, true}), "p99 <= 1.05x");
}

}  // namespace
}  // namespace hone
