// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hone/core/rng.h"
#include "hone/measure/noise_for_test.h"

namespace hone::tune {
namespace {

using testing::HasSubstr;

Sample JudgedSample(double rate, double p99_ms = 10) {
  Sample sample;
  sample.metrics = {{"rate", {.value = rate}}, {"p99_ms", {.value = p99_ms}}};
  return sample;
}

RewardRule RuleOf(std::vector<Limit> limits = {}) {
  RewardRule rule;
  rule.objectives = {{"rate"}};
  rule.limits = std::move(limits);
  return rule;
}

// Twelve runs of what is in force, with this noise in the rate.
RecentRuns Recent(const RewardRule& rule, double noise = 0.02) {
  RecentRuns recent(rule);
  Rng rng(9);
  for (int i = 0; i < 12; ++i) {
    EXPECT_TRUE(recent.Add(JudgedSample(1000 * std::exp(noise * rng.Normal()))));
  }
  return recent;
}

// Compares until it is decided; the challenger's true gain is `gain`.
Ruling RulingOf(double gain, std::uint64_t seed, Noise shape = Noise::kNormal, double noise = 0.02,
                const JudgeSettings& settings = {}) {
  ChallengerJudge challenger_judge(RuleOf(), settings, Recent(RuleOf(), noise));
  Rng rng(seed);
  while (true) {
    const bool is_reference_first = rng.Coin();
    for (int k = 0; k < 2; ++k) {
      const bool is_reference = is_reference_first == (k == 0);
      const double rate = 1000 * std::exp((is_reference ? 0 : gain) + noise * Draw(shape, rng));
      const Ruling ruling = is_reference ? challenger_judge.AddReference(JudgedSample(rate))
                                         : challenger_judge.AddChallenger(JudgedSample(rate));
      if (ruling != Ruling::kMore) return ruling;
    }
  }
}

int CountOf(Ruling wanted, double gain, int seeds, Noise shape = Noise::kNormal) {
  int count = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    count += RulingOf(gain, static_cast<std::uint64_t>(seed), shape) == wanted ? 1 : 0;
  }
  return count;
}

class ComparisonRateTest : public testing::TestWithParam<Noise> {};

TEST_P(ComparisonRateTest, WhatIsNotBetterIsRuledBetterBelowTheDeclaredRate) {
  const int better = CountOf(Ruling::kBetter, 0, 1000, GetParam());
  RecordProperty("better", better);
  EXPECT_LE(better, 50);  // alpha is 5 %.
}

INSTANTIATE_TEST_SUITE_P(Shapes, ComparisonRateTest,
                         testing::Values(Noise::kNormal, Noise::kStudent3, Noise::kLaplace),
                         [](const auto& shape) { return NameOf(shape.param); });

TEST(ComparisonTest, AClearGainIsFoundAndAClearLossIsHarm) {
  EXPECT_GE(CountOf(Ruling::kBetter, 0.05, 200), 190);
  EXPECT_GE(CountOf(Ruling::kHarm, -0.05, 200), 100);
  EXPECT_EQ(CountOf(Ruling::kBetter, -0.05, 200), 0);
}

TEST(ComparisonTest, AGainBelowTheLeastOneIsNotAdopted) {
  JudgeSettings settings;
  settings.min_gain = 0.03;
  int better = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    better += RulingOf(0.01, seed, Noise::kNormal, 0.02, settings) == Ruling::kBetter ? 1 : 0;
  }
  EXPECT_LE(better, 10);
}

TEST(ComparisonTest, OneRunFarBelowTheTypicalOneIsHarmBeforeItHasAPartner) {
  ChallengerJudge challenger_judge(RuleOf(), {}, Recent(RuleOf()));
  EXPECT_EQ(challenger_judge.AddChallenger(JudgedSample(700)), Ruling::kHarm);
  EXPECT_THAT(challenger_judge.reason(), HasSubstr("one run lost 30."));
}

TEST(ComparisonTest, AStrayRunWithinTheNoiseIsNoHarm) {
  ChallengerJudge challenger_judge(RuleOf(), {}, Recent(RuleOf(), 0.1));
  EXPECT_EQ(challenger_judge.AddChallenger(JudgedSample(820)), Ruling::kMore);
}

TEST(ComparisonTest, AnAbsoluteLimitBrokenByTheChallengerIsHarmInThatRun) {
  const RewardRule rule = RuleOf({{"p99_ms", true, 20, false}});
  ChallengerJudge challenger_judge(rule, {}, Recent(rule));
  EXPECT_EQ(challenger_judge.AddReference(JudgedSample(1000, 19)), Ruling::kMore);
  EXPECT_EQ(challenger_judge.AddChallenger(JudgedSample(1300, 21)), Ruling::kHarm);
  EXPECT_EQ(challenger_judge.reason(), "p99_ms was 21, the limit is p99_ms <= 20");
}

TEST(ComparisonTest, ALimitBrokenByTheReferenceIsNotBlamedOnTheChallenger) {
  const RewardRule rule = RuleOf({{"p99_ms", true, 20, false}});
  ChallengerJudge challenger_judge(rule, {}, Recent(rule));
  EXPECT_EQ(challenger_judge.AddChallenger(JudgedSample(1000, 19)), Ruling::kMore);
  EXPECT_EQ(challenger_judge.AddReference(JudgedSample(1000, 30)), Ruling::kReferenceBroken);
}

TEST(ComparisonTest, ARelativeLimitIsHeldAgainstTheReference) {
  const RewardRule rule = RuleOf({{"p99_ms", true, 1.05, true}});
  ChallengerJudge far(rule, {}, Recent(rule));
  EXPECT_EQ(far.AddChallenger(JudgedSample(1000, 30)), Ruling::kHarm);
  EXPECT_THAT(far.reason(), HasSubstr("one run broke p99_ms <= 1.05x"));
}

TEST(ComparisonTest, AMetricThatIsMissingIsHarmNotAGuess) {
  ChallengerJudge challenger_judge(RuleOf(), {}, Recent(RuleOf()));
  Sample without;
  without.metrics["p99_ms"] = {.value = 1};
  EXPECT_EQ(challenger_judge.AddChallenger(without), Ruling::kHarm);
  EXPECT_THAT(challenger_judge.reason(), HasSubstr("metric rate: the run did not report it"));
}

TEST(ComparisonTest, TheIntervalOfWhatIsRuledBetterLeavesZeroOut) {
  ChallengerJudge challenger_judge(RuleOf(), {}, Recent(RuleOf()));
  Rng rng(4);
  Ruling ruling = Ruling::kMore;
  while (ruling == Ruling::kMore) {
    ruling = challenger_judge.AddReference(JudgedSample(1000 * std::exp(0.02 * rng.Normal())));
    if (ruling != Ruling::kMore) break;
    ruling = challenger_judge.AddChallenger(JudgedSample(1060 * std::exp(0.02 * rng.Normal())));
  }
  ASSERT_EQ(ruling, Ruling::kBetter);
  EXPECT_GT(challenger_judge.Gain().interval.low, 0);
  EXPECT_NEAR(challenger_judge.Gain().effect, std::log(1.06), 0.03);
}

}  // namespace
}  // namespace hone::tune
