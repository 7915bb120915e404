// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign_power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace hone::tune {
namespace {

constexpr CampaignSize kUsual{.trials = 40, .parameters = 8, .noise = 0.05};

TEST(CampaignPowerTest, ALargerOptimumIsFoundMoreOften) {
  FindChance last;
  for (const double gain : {0.005, 0.02, 0.05, 0.1, 0.3}) {
    const auto chance = ChanceToFind(kUsual, gain);
    ASSERT_TRUE(chance);
    EXPECT_LE(chance->low, chance->high);
    EXPECT_GE(chance->low, last.low);
    EXPECT_GE(chance->high, last.high);
    EXPECT_LE(chance->high, 1);
    last = *chance;
  }
  EXPECT_GT(last.high, 0.9);
}

TEST(CampaignPowerTest, OnlyTheRatioToTheNoiseCounts) {
  CampaignSize noisier = kUsual;
  noisier.noise *= 3;
  EXPECT_NEAR(ChanceToFind(kUsual, 0.05)->high, ChanceToFind(noisier, 0.15)->high, 1e-12);
  EXPECT_NEAR(3 * OptimumFound(kUsual)->kindest, OptimumFound(noisier)->kindest, 1e-12);
}

TEST(CampaignPowerTest, TheOptimumThatIsNamedIsFoundInFourOfFive) {
  const auto found = OptimumFound(kUsual);
  ASSERT_TRUE(found);
  EXPECT_NEAR(ChanceToFind(kUsual, found->kindest)->high, 0.8, 0.01);
  if (found->worst) {
    EXPECT_GE(*found->worst, found->kindest);
    EXPECT_NEAR(ChanceToFind(kUsual, *found->worst)->low, 0.8, 0.01);
  }
}

TEST(CampaignPowerTest, BetweenTwoSizesTheChanceLiesBetweenTheirs) {
  const auto at = [](std::int64_t trials, std::int64_t parameters) {
    return ChanceToFind({trials, parameters, 0.05}, 0.05)->high;
  };
  const double middle = at(24, 3);
  EXPECT_GE(middle, std::min(at(15, 3), at(40, 3)));
  EXPECT_LE(middle, std::max(at(15, 3), at(40, 3)));
  EXPECT_EQ(at(400, 2), at(40, 3)) << "more candidates and fewer parameters are taken as the next";
}

TEST(CampaignPowerTest, NothingIsSaidOfWhatWasNotSimulated) {
  EXPECT_FALSE(OptimumFound({.trials = 7, .parameters = 8, .noise = 0.05}));
  EXPECT_FALSE(OptimumFound({.trials = 40, .parameters = 21, .noise = 0.05}));
  EXPECT_FALSE(OptimumFound({.trials = 40, .parameters = 8, .noise = 0}));
  EXPECT_FALSE(ChanceToFind(kUsual, 0));
}

CampaignSpec Simulated() {
  CampaignSpec spec;
  spec.domain = "toy";
  spec.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  return spec;
}

TEST(CampaignPowerTest, OnlyWhatIsSetAsInTheSimulationsIsLikeThem) {
  CampaignSpec spec = Simulated();
  spec.seed = 7;
  spec.search.max_trials = 20;
  spec.proof.has_ablation = false;
  EXPECT_TRUE(IsLikeSimulated(spec));

  const std::vector<std::pair<const char*, std::function<void(CampaignSpec&)>>> others{
      {"engine", [](CampaignSpec& other) { other.search.proposer = "random"; }},
      {"warm start", [](CampaignSpec& other) { other.search.options["history"] = "[]"; }},
      {"pairs", [](CampaignSpec& other) { other.search.max_pairs = 100; }},
      {"batch", [](CampaignSpec& other) { other.search.batch = 4; }},
      {"budget", [](CampaignSpec& other) { other.max_time = std::chrono::minutes(10); }},
      {"race", [](CampaignSpec& other) { other.race.max_pairs = 4; }},
      {"least gain", [](CampaignSpec& other) { other.proof.min_gain = 0.1; }},
      {"power", [](CampaignSpec& other) { other.proof.power = 0.5; }},
      {"least pairs", [](CampaignSpec& other) { other.proof.min_pairs = 6; }},
      {"finalists", [](CampaignSpec& other) { other.proof.finalists = 1; }},
      {"formula",
       [](CampaignSpec& other) {
         other.rule.formula = RewardRule::Formula::kPerformanceAndStability;
       }},
      {"limit", [](CampaignSpec& other) { other.rule.limits.emplace_back(); }},
      {"comparison", [](CampaignSpec& other) { other.comparison.emplace(); }}};
  for (const auto& [what, change] : others) {
    CampaignSpec other = Simulated();
    change(other);
    EXPECT_FALSE(IsLikeSimulated(other)) << what;
  }
}

}  // namespace
}  // namespace hone::tune
