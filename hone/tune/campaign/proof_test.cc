// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/proof.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "hone/core/rng.h"
#include "hone/measure/multiple.h"
#include "hone/measure/paired.h"
#include "hone/measure/power.h"

namespace hone::tune {
namespace {

RewardRule RuleOf(const std::vector<std::string>& metrics) {
  RewardRule rule;
  for (const std::string& metric : metrics) {
    rule.objectives.push_back({metric, Direction::kHigherIsBetter, 1});
  }
  return rule;
}

TEST(MovedTextTest, PartsThatDifferByMoreThanChanceAreCalledSo) {
  const RewardRule rule = RuleOf({"throughput"});
  Rng rng(1);
  std::vector<double> steady;
  std::vector<double> moving;
  for (int i = 0; i < 24; ++i) {
    steady.push_back(0.05 + 0.01 * rng.Normal());
    moving.push_back((i < 12 ? 0.02 : 0.08) + 0.01 * rng.Normal());
  }
  const std::chrono::hours day{24};
  EXPECT_NE(MovedText(rule, steady, day).find("no more than chance"), std::string::npos);
  EXPECT_NE(MovedText(rule, moving, day).find("differ by more than chance"), std::string::npos)
      << MovedText(rule, moving, day);
  EXPECT_EQ(MovedText(rule, steady, {}), "");
  EXPECT_EQ(MovedText(rule, {0.1, 0.2, 0.3}, day), "");
}

TEST(MovedTextTest, EqualPartsAreSeldomCalledMoved) {
  const RewardRule rule = RuleOf({"throughput"});
  int called = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Rng rng(seed);
    std::vector<double> rewards;
    for (int i = 0; i < 16; ++i) rewards.push_back(0.05 * rng.Normal());
    const std::string text = MovedText(rule, rewards, std::chrono::hours{1});
    called += text.find("differ by more than chance") != std::string::npos ? 1 : 0;
  }
  EXPECT_LE(called, 10);  // Of 400, declared: one in a hundred.
}

double SmallestP(std::int64_t pairs, double noise, double gain, Rng& rng) {
  std::vector<double> ratios;
  for (std::int64_t i = 0; i < pairs; ++i) ratios.push_back(gain + noise * rng.Normal());
  return TestPairs(ratios, 0.95).p_value;
}

// One point of three is better in one objective of two; the verdict looks at all six.
TEST(DetectableInFrontTest, IsFoundInEightOfTenFronts) {
  constexpr double kPairNoise = 0.07;
  CampaignSpec spec;
  spec.rule = RuleOf({"throughput", "stability"});
  spec.wants_front = true;
  const double gain = DetectableInFront(spec, 3, kPairNoise);
  EXPECT_GT(gain, MinimumDetectableEffect(kPairNoise, FrontPairs(spec.proof)));
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    std::vector<double> points;
    for (const double of_point : {gain, 0.0, 0.0}) {
      const auto adjusted =
          AdjustByHolm(std::vector{SmallestP(FrontPairs(spec.proof), kPairNoise, of_point, rng),
                                   SmallestP(FrontPairs(spec.proof), kPairNoise, 0, rng)});
      points.push_back(std::ranges::min(adjusted));
    }
    found += AdjustByHolm(points)[0] <= 1 - spec.proof.confidence ? 1 : 0;
  }
  EXPECT_NEAR(found, 240, 20);
}

}  // namespace
}  // namespace hone::tune
