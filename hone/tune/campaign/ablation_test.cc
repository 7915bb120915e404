// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/ablation.h"

#include <gtest/gtest.h>

#include <functional>

#include <cmath>

#include "hone/tune/campaign/simulated_queue_for_test.h"

namespace hone::tune {
namespace {

Parameter Integer(const char* name) {
  return {name, IntegerRange{0, 10}, std::int64_t{0}, "", "", {}, {}};
}

Candidate With(const Space& space, const std::map<std::string, std::int64_t>& values) {
  Candidate candidate{space.Defaults(), ""};
  for (const auto& [name, value] : values) candidate.assignment[name] = value;
  return candidate;
}

class AblationTest : public testing::Test {
 protected:
  using Values = std::function<std::int64_t(const char*)>;

  // `effect` of a candidate's values is the log of its throughput, but for noise.
  Result<AblationResult> RunWith(const std::function<double(const Values&)>& effect,
                                 const Candidate& winner, double gain) {
    SimulatedQueue queue([&](const Candidate& candidate, std::int64_t, Rng rng) {
      const double log_speed = noise_ * rng.Normal() + effect([&](const char* name) {
                                 return std::get<std::int64_t>(candidate.assignment.at(name));
                               });
      return SimulatedQueue::Metrics{{"throughput", std::exp(log_speed)}};
    });
    spec_.domain = "test";
    spec_.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
    Ledger ledger;
    PairRunner runner(spec_, "c", {}, queue, ledger);
    Stage stage{spec_, space_, baseline_, runner, ledger, nullptr, {}, {}, 0};
    auto result = Ablate(stage, winner, {gain, std::sqrt(2.0) * noise_});
    comparisons_ = queue.evaluations().size();
    return result;
  }

  // Each parameter above 0 adds its effect.
  Result<AblationResult> Run(const std::map<std::string, double>& effects, const Candidate& winner,
                             double gain) {
    return RunWith(
        [&](const Values& at) {
          double sum = 0;
          for (const auto& [name, effect] : effects) sum += at(name.c_str()) > 0 ? effect : 0;
          return sum;
        },
        winner, gain);
  }

  Space space_ = *Space::Make({Integer("a"), Integer("b"), Integer("c"), Integer("d"), Integer("e"),
                               Integer("f"), Integer("g"), Integer("h")});
  Candidate baseline_{space_.Defaults(), ""};
  CampaignSpec spec_;
  double noise_ = 0.01;  // Of a run.
  std::size_t comparisons_ = 0;
};

TEST_F(AblationTest, KeepsWhatMattersAndDropsTheRest) {
  const Candidate winner = With(
      space_, {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}, {"g", 1}, {"h", 1}});
  const auto result = Run({{"b", 0.10}, {"g", 0.05}}, winner, 0.15);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(DescribeChange(baseline_, result->candidate), "b=1 g=1");
  EXPECT_EQ(result->dropped.size(), 6U);
  ASSERT_EQ(result->effects.size(), 2U);
  EXPECT_EQ(result->effects[0].name, "b");
  EXPECT_EQ(result->effects[0].from, "0");
  EXPECT_EQ(result->effects[0].to, "1");
  EXPECT_NEAR(result->effects[0].effect.effect, 0.10, 0.02);
  EXPECT_NEAR(result->effects[1].effect.effect, 0.05, 0.02);
}

TEST_F(AblationTest, NothingIsDroppedWhenEverythingMatters) {
  const auto result = Run({{"a", 0.1}, {"b", 0.1}}, With(space_, {{"a", 1}, {"b", 1}}), 0.2);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->dropped.empty());
  EXPECT_EQ(result->effects.size(), 2U);
}

TEST_F(AblationTest, ManySmallContributionsAreNotAllLost) {
  const Candidate winner = With(
      space_, {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}, {"g", 1}, {"h", 1}});
  const std::map<std::string, double> effects{{"a", 0.012}, {"b", 0.012}, {"c", 0.012},
                                              {"d", 0.012}, {"e", 0.012}, {"f", 0.012},
                                              {"g", 0.012}, {"h", 0.012}};
  const auto result = Run(effects, winner, 0.096);
  ASSERT_TRUE(result);
  EXPECT_LE(result->dropped.size(), 3U);
}

// Each of four changes is worth a quarter of the gain, and the noise hides a quarter.
TEST_F(AblationTest, WhatOnlySeemedToCostLittleStays) {
  noise_ = 0.05;
  const Candidate winner = With(space_, {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}});
  const std::map<std::string, double> effects{
      {"a", 0.024}, {"b", 0.024}, {"c", 0.024}, {"d", 0.024}};
  const auto count_dropped = [&] {
    std::size_t dropped = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      spec_.seed = seed;
      const auto result = Run(effects, winner, 0.096);
      EXPECT_TRUE(result) << result.error().message;
      dropped += result ? result->dropped.size() : 0;
    }
    return dropped;
  };
  const std::size_t confirmed = count_dropped();
  EXPECT_LE(confirmed, 18U) << "of 160";
  spec_.proof.confirms_dropped = false;
  EXPECT_GE(count_dropped(), 28U) << "as a campaign of an older build, which goes on so";
}

TEST_F(AblationTest, SingleChangeNeedsNoRuns) {
  const auto result = Run({{"a", 0.1}}, With(space_, {{"a", 1}}), 0.1);
  ASSERT_TRUE(result);
  EXPECT_EQ(comparisons_, 0U);
  EXPECT_TRUE(result->effects.empty());
}

TEST_F(AblationTest, InteractionIsNotMistakenForPassengers) {
  // Either of a and b alone gives nothing: putting back one loses all.
  const auto result = RunWith([](const Values& at) { return at("a") > 0 && at("b") > 0 ? 0.1 : 0; },
                              With(space_, {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}), 0.1);
  ASSERT_TRUE(result);
  EXPECT_EQ(DescribeChange(baseline_, result->candidate), "a=1 b=1");
}

TEST_F(AblationTest, TheOneThatIsLeftIsWorthTheGainAndHasNoEffectOfItsOwn) {
  // While c is there, b cannot go; without c it is worth nothing.
  const auto result = RunWith(
      [](const Values& at) {
        return (at("a") > 0 ? 0.1 : 0) - (at("c") > 0 && at("b") == 0 ? 0.05 : 0);
      },
      With(space_, {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}), 0.1);
  ASSERT_TRUE(result);
  EXPECT_EQ(DescribeChange(baseline_, result->candidate), "a=1");
  EXPECT_TRUE(result->effects.empty());
}

TEST(PutBackTest, ChildrenFollowTheirParent) {
  Parameter depth = Integer("depth");
  depth.condition = Condition{"mode", {std::string("deep")}};
  const auto space = Space::Make(
      {{"mode", Category{{"plain", "deep"}}, std::string("plain"), "", "", {}, {}}, depth});
  ASSERT_TRUE(space);
  const Candidate baseline{space->Defaults(), ""};
  const Candidate deep{{{"mode", std::string("deep")}, {"depth", std::int64_t{7}}}, ""};
  EXPECT_EQ(PutBack(*space, baseline, deep, {"mode"}), baseline);
  const auto shallow = PutBack(*space, baseline, deep, {"depth"});
  ASSERT_TRUE(shallow);
  EXPECT_EQ(shallow->assignment.at("depth"), Value{std::int64_t{0}});
  EXPECT_EQ(ChangedParameters(baseline, deep), (std::vector<std::string>{"depth", "mode"}));
}

TEST(PutBackTest, NothingIsPutBackAgainstAConstraint) {
  auto high = Integer("high");
  high.default_value = std::int64_t{2};
  const auto space = Space::Make({Integer("low"), high}, {{{{"low", 1}, {"high", -1}}, true, 0}});
  ASSERT_TRUE(space) << space.error().message;
  const Candidate baseline{space->Defaults(), ""};
  const Candidate moved{{{"low", std::int64_t{5}}, {"high", std::int64_t{9}}}, ""};
  EXPECT_FALSE(PutBack(*space, baseline, moved, {"high"}));
  EXPECT_TRUE(PutBack(*space, baseline, moved, {"low"}));
}

}  // namespace
}  // namespace hone::tune
