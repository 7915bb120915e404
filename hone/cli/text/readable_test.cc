// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/readable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hone::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

RewardRule RuleOf(std::vector<Objective> objectives) {
  RewardRule rule;
  rule.objectives = std::move(objectives);
  return rule;
}

TEST(ReadableTest, DurationsAreAsPreciseAsPeopleNeed) {
  EXPECT_EQ(ReadableDuration(milliseconds(4)), "under 0.1 s");
  EXPECT_EQ(ReadableDuration(milliseconds(420)), "0.4 s");
  EXPECT_EQ(ReadableDuration(seconds(35)), "35 s");
  EXPECT_EQ(ReadableDuration(seconds(125)), "2 min 05 s");
  EXPECT_EQ(ReadableDuration(seconds(3905)), "1 h 05 min");
}

TEST(ReadableTest, AHigherMetricThatRisesIsAPlus) {
  const tune::RewardWords words(RuleOf({{"throughput", Direction::kHigherIsBetter, 1}}));
  EXPECT_EQ(words.Change(std::log(1.1)), "+10.0 %");
  EXPECT_EQ(words.Range({std::log(1.08), std::log(1.12)}), "[+8.0 %, +12.0 %]");
  EXPECT_EQ(words.subject(), "throughput");
}

TEST(ReadableTest, ALowerMetricThatFallsIsAMinus) {
  const tune::RewardWords words(RuleOf({{"latency_ms", Direction::kLowerIsBetter, 1}}));
  EXPECT_EQ(words.Change(-std::log(0.9)), "-10.0 %");
  EXPECT_EQ(words.Range({-std::log(0.92), -std::log(0.88)}), "[-12.0 %, -8.0 %]");
}

TEST(ReadableTest, SeveralObjectivesAreAMeanGain) {
  const tune::RewardWords words(RuleOf({{"throughput", Direction::kHigherIsBetter, 1},
                                        {"latency_ms", Direction::kLowerIsBetter, 1}}));
  EXPECT_EQ(words.Change(std::log(1.1)), "+10.0 %");
  EXPECT_EQ(words.subject(), "over throughput, latency_ms");
}

TEST(ReadableTest, PerformanceAndStabilityIsNoLogRatio) {
  RewardRule rule = RuleOf({{"a", Direction::kHigherIsBetter, 1}, {"b", {}, 1}});
  rule.formula = RewardRule::Formula::kPerformanceAndStability;
  EXPECT_EQ(tune::RewardWords(rule).Change(0.1), "+10.0 %");
}

TEST(ReadableTest, AnIntervalWithoutBoundsSaysSo) {
  const double infinity = std::numeric_limits<double>::infinity();
  const tune::RewardWords words(RuleOf({{"throughput", Direction::kHigherIsBetter, 1}}));
  EXPECT_EQ(words.Range({-infinity, infinity}), "[-100.0 %, +inf %]");
}

TEST(ReadableTest, AChangeNamesWhatDiffers) {
  const Candidate baseline{{{"a", std::int64_t{1}}, {"b", 0.5}}, ""};
  const Candidate candidate{{{"a", std::int64_t{1}}, {"b", 0.7423335368512198}, {"c", true}}, ""};
  EXPECT_EQ(ReadableChange(baseline, candidate), "b=0.742334 c=true");
  EXPECT_EQ(ReadableChange(baseline, baseline), "no change");
}

TEST(ReadableTest, WidthCountsCodePoints) {
  EXPECT_EQ(WidthOf("±2 se"), 5U);
  EXPECT_EQ(FitInto("±2 se", 5), "±2 se");
  EXPECT_EQ(FitInto("±2 se", 3), "±2…");
  EXPECT_EQ(FitInto("abc", 0), "");
}

TEST(ReadableTest, TablesHaveNoTrailingSpaces) {
  EXPECT_EQ(TableText({{"a", "±", "x"}, {"long", "b"}}), "  a     ±  x\n  long  b\n");
}

}  // namespace
}  // namespace hone::cli
