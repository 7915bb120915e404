// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/conclusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::tune {
namespace {

using testing::HasSubstr;
using testing::Not;

RewardRule RuleWith(std::vector<Limit> limits = {}) {
  RewardRule rule;
  rule.objectives = {{"speed", Direction::kHigherIsBetter, 1}};
  rule.limits = std::move(limits);
  return rule;
}

SearchTally Whole(std::int64_t finished) {
  return {.planned = 40,
          .finished = finished,
          .failed = 0,
          .outside = 0,
          .cut_short_by = "",
          .is_enough = true};
}

SearchTally Cut(std::int64_t finished) {
  SearchTally tally = Whole(finished);
  tally.cut_short_by = "the time was spent";
  tally.is_enough = false;
  return tally;
}

Verdict Unproven(const SearchTally& tally, const RewardRule& rule = RuleWith()) {
  Verdict verdict;
  verdict.detectable = 0.01;
  ConcludeUnproven(tally, rule, verdict);
  return verdict;
}

Proof PointAt(double first, double second, bool is_gain = true) {
  Proof proof;
  proof.objectives = {{"speed", {first, {}, 0.01, 12}}, {"latency", {second, {}, 0.01, 12}}};
  proof.is_gain = is_gain;
  return proof;
}

TEST(FrontTest, PointsThatAnotherBeatsInEverythingLeaveIt) {
  std::vector<Proof> front{PointAt(0.1, -0.1), PointAt(0.05, -0.2), PointAt(-0.1, 0.1),
                           PointAt(0.1, -0.1)};
  EXPECT_EQ(DropDominated(front), 1);
  ASSERT_EQ(front.size(), 3U);
  EXPECT_EQ(front[1].objectives[0].test.effect, -0.1);
  EXPECT_THAT(DominatedNote(1), HasSubstr("1 point more was"));
}

TEST(FrontTest, AProvenGainYieldsToNothingUnprovenNorToWhatBreaksALimit) {
  std::vector<Proof> front{PointAt(0.1, 0.1, false), PointAt(0.05, 0.05)};
  EXPECT_EQ(DropDominated(front), 0);
  front = {PointAt(0.1, 0.1), PointAt(0.05, 0.05)};
  front[0].limits = {{{"latency", true, 1, true}, {}, false}};
  EXPECT_EQ(DropDominated(front), 0);
}

TEST(ConclusionTest, WhoTriedNothingSaysSoAndNothingElse) {
  const Verdict verdict = Unproven(Cut(0));
  EXPECT_EQ(verdict.kind, Verdict::Kind::kNotEnough);
  EXPECT_EQ(verdict.reason, "The time was spent before a candidate was tried.");
  EXPECT_EQ(verdict.detectable, 0);
}

TEST(ConclusionTest, WhoWasCutShortSaysHowFarItCame) {
  const Verdict verdict = Unproven(Cut(3));
  EXPECT_EQ(verdict.kind, Verdict::Kind::kNotEnough);
  EXPECT_EQ(verdict.reason,
            "Of 3 candidates tried, none is believed to beat the baseline by enough to matter. The "
            "time was spent after 3 of at most 40 candidates.");
}

TEST(ConclusionTest, AWholeSearchMaySayThatThereIsNoGain) {
  const Verdict verdict = Unproven(Whole(1));
  EXPECT_EQ(verdict.kind, Verdict::Kind::kNoGain);
  EXPECT_EQ(verdict.reason,
            "Of 1 candidate tried, none is believed to beat the baseline by enough to matter.");
  EXPECT_EQ(verdict.detectable, 0.01);
}

TEST(ConclusionTest, SaysThatNothingRanOrKeptTheLimits) {
  const RewardRule rule = RuleWith({{"p99_ms", true, 20, false}});
  SearchTally tally = Whole(12);
  tally.failed = 12;
  EXPECT_EQ(Unproven(tally, rule).reason, "Of 12 candidates tried, none ran.");
  tally.failed = 2;
  tally.outside = 10;
  EXPECT_EQ(Unproven(tally, rule).reason,
            "Of 12 candidates tried, none kept the limits (p99_ms <= 20).");
  EXPECT_EQ(LimitsNote(tally, rule), "Limits: p99_ms <= 20; kept by 0 of 12 candidates.");
  EXPECT_EQ(LimitsNote(tally, RuleWith()), "");
}

TEST(ConclusionTest, AFailedProofAfterACutSearchIsNotEnoughEither) {
  Verdict verdict;
  ConcludeUnshown(Cut(2), "It was not shown.", verdict);
  EXPECT_EQ(verdict.kind, Verdict::Kind::kNotEnough);
  EXPECT_EQ(verdict.reason,
            "It was not shown. The time was spent after 2 of at most 40 candidates.");
  ConcludeUnshown(Whole(40), "It was not shown.", verdict);
  EXPECT_EQ(verdict.kind, Verdict::Kind::kNoGain);
}

Proof PointWith(double adjusted_p, bool keeps_limit) {
  Proof point;
  point.adjusted_p = adjusted_p;
  point.limits.push_back({{"p99_ms", true, 20, false}, {}, keeps_limit});
  return point;
}

TEST(ConclusionTest, AFrontWithoutAGainSaysWhetherTheLimitsTookIt) {
  const std::string unshown = "No point was shown to beat the baseline in any objective.";
  EXPECT_EQ(WhyNoPoint({}, 0.95), unshown);
  EXPECT_EQ(WhyNoPoint({PointWith(0.2, false), PointWith(0.3, true)}, 0.95), unshown);
  EXPECT_EQ(WhyNoPoint({PointWith(0.2, true), PointWith(0.01, false)}, 0.95),
            "No point that beats the baseline was shown to keep the limits.");
}

TEST(ConclusionTest, ParametersMayNotMatterOnlyWhereTheirEffectWouldHaveBeenSeen) {
  Insensitivity found{
      .p_value = 0.5, .rewards = std::vector<Estimate>(12, {0.005, 0.005, 4}), .min_gain = 0.01};
  EXPECT_EQ(InsensitivityText(RuleWith(), found),
            "Nothing that was tried moved speed (p = 0.50 over 12 candidates): the parameters may "
            "not matter for this benchmark.");
  found.rewards.assign(12, {0.2, 0.2, 4});
  EXPECT_THAT(InsensitivityText(RuleWith(), found), HasSubstr("effects below about"));
  EXPECT_THAT(InsensitivityText(RuleWith(), found), Not(HasSubstr("may not matter")));
  found.rewards.clear();
  EXPECT_EQ(InsensitivityText(RuleWith(), found), "");
}

TEST(ConclusionTest, OfParametersNothingIsSaidWhereNotEnoughWasTried) {
  const Insensitivity found{.p_value = 0.5,
                            .rewards = std::vector<Estimate>(3, {0.005, 0.005, 4}),
                            .min_gain = 0.01,
                            .is_enough = false};
  const std::string text = InsensitivityText(RuleWith(), found);
  EXPECT_THAT(text, HasSubstr("Nothing that was tried moved speed (p = 0.50 over 3 candidates)"));
  EXPECT_THAT(text, HasSubstr("cannot be seen in so few runs"));
  EXPECT_THAT(text, Not(HasSubstr("may not matter")));
}

TEST(ConclusionTest, WhatMayHideIsDecidedByThoseThatWereMeasuredLeast) {
  Insensitivity found{
      .p_value = 0.5, .rewards = std::vector<Estimate>(30, {0.005, 0.005, 16}), .min_gain = 0.01};
  EXPECT_THAT(InsensitivityText(RuleWith(), found), HasSubstr("may not matter"));
  for (std::size_t i = 0; i < 10; ++i) found.rewards[i] = {-0.06, 0.06, 2};
  EXPECT_THAT(InsensitivityText(RuleWith(), found), Not(HasSubstr("may not matter")));
}

}  // namespace
}  // namespace hone::tune
