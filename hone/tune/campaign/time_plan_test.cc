// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/time_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hone/tune/campaign/campaign.h"
#include "hone/tune/campaign/simulated_queue_for_test.h"
#include "hone/tune/proposers/random_search.h"

namespace hone::tune {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// Three parameters that all help; a run takes a millisecond.
class TimePlanTest : public testing::Test {
 protected:
  TimePlanTest() {
    spec_.domain = "test";
    spec_.search.max_trials = 400;
    spec_.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  }

  static Space MakeSpace() {
    const auto integer = [](const char* name) {
      return Parameter{name, IntegerRange{0, 10}, std::int64_t{0}, "", "", {}, {}};
    };
    return *Space::Make({integer("a"), integer("b"), integer("c")});
  }

  // The verdict, and the measuring time that it took.
  std::pair<Verdict, std::chrono::microseconds> Run(double gain) {
    SimulatedQueue queue([gain](const Candidate& candidate, std::int64_t, Rng rng) {
      double effect = 0;
      for (const auto& [name, value] : candidate.assignment) {
        effect += gain * static_cast<double>(std::get<std::int64_t>(value)) / 30;
      }
      return SimulatedQueue::Metrics{{"throughput", std::exp(effect + 0.02 * rng.Normal())},
                                     {"latency", std::exp(0.02 * rng.Normal())}};
    });
    auto proposer = MakeRandomSearch(
        {space_, baseline_, spec_.seed, spec_.search.max_trials, spec_.wants_front, {}});
    EXPECT_TRUE(proposer);
    Ledger ledger;
    std::chrono::microseconds measured{0};
    const auto note = [&](const Progress& progress) { measured = progress.measured; };
    const auto verdict =
        RunCampaign({"c", spec_, space_, baseline_, {}, **proposer, queue, ledger, note, {}, {}});
    EXPECT_TRUE(verdict) << verdict.error().message;
    return {verdict.value_or(Verdict{}), measured};
  }

  Space space_ = MakeSpace();
  Candidate baseline_{space_.Defaults(), ""};
  CampaignSpec spec_;
};

TEST_F(TimePlanTest, AWholeCampaignStaysWithinItsTime) {
  for (const int budget : {150, 300, 1000, 4000}) {
    for (const double gain : {0.0, 0.05, 0.3}) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        spec_.seed = seed;
        spec_.max_time = milliseconds(budget);
        const auto [verdict, measured] = Run(gain);
        EXPECT_LE(measured, spec_.max_time) << budget << " ms, gain " << gain;
        EXPECT_NE(verdict.reason, "");
      }
    }
  }
}

TEST_F(TimePlanTest, AFrontStaysWithinItsTime) {
  spec_.wants_front = true;
  spec_.rule.objectives.push_back({"latency", Direction::kLowerIsBetter, 1});
  for (const int budget : {200, 1000}) {
    spec_.max_time = milliseconds(budget);
    EXPECT_LE(Run(0.3).second, spec_.max_time) << budget;
  }
}

TEST_F(TimePlanTest, ALargeGainIsStillFoundAndProven) {
  spec_.max_time = milliseconds(400);
  EXPECT_EQ(Run(0.5).first.kind, Verdict::Kind::kGain);
}

TEST_F(TimePlanTest, MoreTimeIsUsed) {
  spec_.search.min_remaining_gain = 0;
  spec_.max_time = milliseconds(300);
  const auto [small, short_time] = Run(0.3);
  spec_.max_time = milliseconds(2000);
  const auto [large, long_time] = Run(0.3);
  EXPECT_GT(long_time, 2 * short_time);
}

TEST_F(TimePlanTest, WhatDoesNotFitIsSaidAndNotBegun) {
  spec_.max_time = milliseconds(60);
  const auto [verdict, measured] = Run(0.3);
  EXPECT_EQ(verdict.kind, Verdict::Kind::kNotEnough);
  EXPECT_THAT(verdict.reason, HasSubstr("too short"));
  EXPECT_EQ(measured, milliseconds(20)) << "the gate alone";
}

TEST_F(TimePlanTest, AComparisonMakesThePairsThatFit) {
  Candidate b = baseline_;
  b.assignment["a"] = std::int64_t{5};
  spec_.comparison = ComparisonSettings{"a", "b", b};
  spec_.max_time = milliseconds(70);
  const auto [verdict, measured] = Run(0);
  ASSERT_TRUE(verdict.proof);
  EXPECT_EQ(verdict.proof->reward.count, 25);
  EXPECT_LE(measured, spec_.max_time);
}

TEST_F(TimePlanTest, NoTimeForTheAblationIsNoted) {
  spec_.max_time = milliseconds(180);
  const auto [verdict, measured] = Run(0.5);
  ASSERT_EQ(verdict.kind, Verdict::Kind::kGain) << verdict.reason;
  EXPECT_TRUE(verdict.effects.empty());
  EXPECT_THAT(verdict.notes, testing::Contains(HasSubstr("No time was left")));
}

TEST_F(TimePlanTest, ThePartsAddUp) {
  spec_.max_time = std::chrono::minutes(10);
  const TimePlan plan = PlanTime(spec_, milliseconds(1000));
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.pairs, 600);
  EXPECT_LT(plan.search_end, spec_.max_time);
  EXPECT_LT(spec_.gate_pairs + plan.search_pairs, plan.pairs);
  EXPECT_THAT(DivisionText(spec_, milliseconds(1000)), HasSubstr("room for 600 pairs"));
  EXPECT_THAT(DivisionText(spec_, std::chrono::minutes(1)), HasSubstr("too short"));
}

}  // namespace
}  // namespace hone::tune
