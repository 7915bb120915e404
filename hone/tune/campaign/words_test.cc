// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

namespace hone::tune {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

RewardRule RuleOf(std::vector<Objective> objectives) {
  RewardRule rule;
  rule.objectives = std::move(objectives);
  return rule;
}

TEST(WordsTest, DurationsAreAsPreciseAsPeopleNeed) {
  EXPECT_EQ(DurationText(milliseconds(4)), "under 0.1 s");
  EXPECT_EQ(DurationText(milliseconds(420)), "0.4 s");
  EXPECT_EQ(DurationText(seconds(35)), "35 s");
  EXPECT_EQ(DurationText(seconds(125)), "2 min 05 s");
  EXPECT_EQ(DurationText(seconds(3905)), "1 h 05 min");
}

TEST(WordsTest, AHigherMetricThatRisesIsAPlus) {
  const RewardWords words(RuleOf({{"throughput", Direction::kHigherIsBetter, 1}}));
  EXPECT_EQ(words.MetricChange(std::log(1.1)), "+10.0 %");
  EXPECT_EQ(words.MetricRange({std::log(1.08), std::log(1.12)}), "[+8.0 %, +12.0 %]");
  EXPECT_EQ(words.subject(), "throughput");
}

TEST(WordsTest, ALowerMetricThatFallsIsAMinus) {
  const RewardWords words(RuleOf({{"latency_ms", Direction::kLowerIsBetter, 1}}));
  EXPECT_EQ(words.MetricChange(-std::log(0.9)), "-10.0 %");
  EXPECT_EQ(words.MetricRange({-std::log(0.92), -std::log(0.88)}), "[-12.0 %, -8.0 %]");
}

TEST(WordsTest, SeveralObjectivesAreAMeanGain) {
  const RewardWords words(RuleOf({{"throughput", Direction::kHigherIsBetter, 1},
                                  {"latency_ms", Direction::kLowerIsBetter, 1}}));
  EXPECT_EQ(words.MetricChange(std::log(1.1)), "+10.0 %");
  EXPECT_EQ(words.subject(), "over throughput, latency_ms");
}

TEST(WordsTest, PerformanceAndStabilityIsNoLogRatio) {
  RewardRule rule = RuleOf({{"a", Direction::kHigherIsBetter, 1}, {"b", {}, 1}});
  rule.formula = RewardRule::Formula::kPerformanceAndStability;
  EXPECT_EQ(RewardWords(rule).MetricChange(0.1), "+10.0 %");
}

TEST(WordsTest, AnIntervalWithoutBoundsSaysSo) {
  const double infinity = std::numeric_limits<double>::infinity();
  const RewardWords words(RuleOf({{"throughput", Direction::kHigherIsBetter, 1}}));
  EXPECT_EQ(words.MetricRange({-infinity, infinity}), "[-100.0 %, +inf %]");
}

TEST(WordsTest, AFrontOfOnePointIsNoFrontOfPoints) {
  Verdict verdict;
  verdict.kind = Verdict::Kind::kFront;
  verdict.front.resize(1);
  verdict.front[0].is_gain = true;
  EXPECT_EQ(Headline({}, verdict),
            "Front: 1 of 1 point proven better than the baseline in some objective");
  verdict.front.resize(3);
  EXPECT_EQ(Headline({}, verdict),
            "Front: 1 of 3 points proven better than the baseline in some objective");
}

TEST(WordsTest, ZeroHasNoSign) {
  for (const double percent : {0.0, -0.0, 0.04, -0.04}) {
    EXPECT_EQ(SignedPercent(percent), "0.0 %") << percent;
  }
  EXPECT_EQ(SignedPercent(-0.06), "-0.1 %");
}

TEST(WordsTest, WhatIsNoNumberIsNotKnown) {
  for (const double nan : {std::nan(""), -std::nan("")}) {
    EXPECT_EQ(SignedPercent(nan), "not known");
    EXPECT_EQ(PText(nan), "p not known");
    EXPECT_EQ(TypesetP(nan), "p not known");
    EXPECT_EQ(TypesetPercent(nan), "not known");
    EXPECT_EQ(TypesetSignedPercent(nan), "not known");
    EXPECT_EQ(TypesetNumber(nan), "not known");
  }
  EXPECT_EQ(TypesetNumber(-std::numeric_limits<double>::infinity()), "−∞");
}

TEST(WordsTest, TypesetNumbersReadWell) {
  EXPECT_EQ(TypesetSignedPercent(10.24), "+10.2\u00A0%");
  EXPECT_EQ(TypesetSignedPercent(-0.314), "−0.31\u00A0%");
  EXPECT_EQ(TypesetSignedPercent(0.001), "±0.00\u00A0%");
  EXPECT_EQ(TypesetSignedPercent(std::numeric_limits<double>::infinity()), "+∞");
  EXPECT_EQ(TypesetP(0.00001), "p < 0.0001");
  EXPECT_EQ(TypesetP(0.0123), "p = 0.012");
  EXPECT_EQ(TypesetP(1), "p = 1.00");
  EXPECT_EQ(TypesetNumber(1012.34), "1012");
  EXPECT_EQ(TypesetNumber(0.98765), "0.9877");
  EXPECT_EQ(TypesetDuration(std::chrono::microseconds(1500)), "1.5 ms");
  EXPECT_EQ(TypesetDuration(std::chrono::seconds(250)), "4 min 10 s");
  EXPECT_EQ(CountText(1, "pair"), "1 pair");
  EXPECT_EQ(CountText(12, "pair"), "12 pairs");
}

TEST(WordsTest, TheGainFollowsTheFormulaOfTheReward) {
  RewardRule rule;
  EXPECT_NEAR(GainPercent(rule, std::log(1.1)), 10, 1e-9);
  rule.formula = RewardRule::Formula::kPerformanceAndStability;
  EXPECT_NEAR(GainPercent(rule, 0.1), 10, 1e-9);
}

TEST(WordsTest, AGainIsAPlusAlsoWhereLowerIsBetter) {
  const RewardRule rule = RuleOf({{"latency_ms", Direction::kLowerIsBetter, 1}});
  EXPECT_GT(GainPercent(rule, 0.1), 0);
  EXPECT_TRUE(RewardWords(rule).MetricChange(0.1).starts_with("-"));
}

TEST(WordsTest, EveryKindOfVerdictHasItsHeadline) {
  CampaignSpec spec;
  spec.rule.objectives = {{"speed", Direction::kHigherIsBetter, 1}};
  Verdict verdict;
  verdict.reason = "Because.";
  const auto headline = [&](Verdict::Kind kind) {
    verdict.kind = kind;
    return Headline(spec, verdict);
  };
  EXPECT_EQ(headline(Verdict::Kind::kNoGain), "No gain: Because.");
  EXPECT_EQ(headline(Verdict::Kind::kNotEnough), "Not enough was tried to say: Because.");
  EXPECT_EQ(headline(Verdict::Kind::kDoesNotRun), "Does not run: Because.");
  verdict.proof = Proof{};
  verdict.proof->reward = {0.0953, {0.05, 0.14}, 0.0005, 12};
  EXPECT_EQ(headline(Verdict::Kind::kGain).find("Gain: +10.0 % speed"), 0U);
  verdict.suspicions = {"it looked", "it wrote"};
  EXPECT_EQ(headline(Verdict::Kind::kSuspicious).find("Suspicious: +10.0 % speed"), 0U);
  EXPECT_TRUE(headline(Verdict::Kind::kSuspicious).ends_with(", but it looked; it wrote"));
}

}  // namespace
}  // namespace hone::tune
