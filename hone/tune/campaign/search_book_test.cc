// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/search_book.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hone/core/rng.h"

namespace hone::tune {
namespace {

RewardRule Throughput() {
  RewardRule rule;
  rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  rule.limits = {{"latency", true, 12, false}};
  return rule;
}

PairBlock BlockOf(const std::vector<double>& log_ratios, double latency = 10) {
  PairBlock block;
  for (const double ratio : log_ratios) {
    SamplePair pair;
    pair.baseline.metrics["throughput"] = Reading{1000, 0, 1};
    pair.baseline.metrics["latency"] = Reading{10, 0, 1};
    pair.candidate.metrics["throughput"] = Reading{1000 * std::exp(ratio), 0, 1};
    pair.candidate.metrics["latency"] = Reading{latency, 0, 1};
    pair.candidate.observations["load"] = 2;
    block.pairs.push_back(pair);
  }
  return block;
}

Candidate CandidateOf(std::int64_t a) { return {{{"a", a}}, ""}; }

TEST(SearchBookTest, TwoPairsTakeTheirErrorFromAllPairs) {
  SearchBook book(Throughput(), {-0.02, 0.01, 0.02, -0.01, 0.03, -0.03});
  const auto number = book.Open(CandidateOf(1));
  book.Add(number, BlockOf({0.05, 0.05}));
  const Trial trial = book.Get(number);
  EXPECT_NEAR(trial.reward.mean, 0.05, 1e-9);
  EXPECT_GT(trial.reward.standard_error, 0.005);
  EXPECT_EQ(trial.reward.count, 2);
  EXPECT_EQ(trial.observations.at("load"), 2);
}

TEST(SearchBookTest, NoiseIsTheSpreadAroundEachTrialsOwnCentre) {
  Rng rng(3);
  std::vector<double> gate;
  for (int i = 0; i < 20; ++i) gate.push_back(0.03 * rng.Normal());
  SearchBook book(Throughput(), gate);
  for (int trial = 0; trial < 100; ++trial) {
    const double centre = rng.Normal();
    const auto number = book.Open(CandidateOf(trial));
    book.Add(number, BlockOf({centre + 0.03 * rng.Normal(), centre + 0.03 * rng.Normal(),
                              centre + 0.03 * rng.Normal(), centre + 0.03 * rng.Normal()}));
  }
  EXPECT_NEAR(book.Noise(), 0.03, 0.005);
}

TEST(SearchBookTest, MorePairsReplaceTheEstimate) {
  SearchBook book(Throughput(), {0.01, -0.01, 0.02, -0.02});
  const auto number = book.Open(CandidateOf(1));
  book.Add(number, BlockOf({0.10, 0.10}));
  book.Add(number, BlockOf({0.00, 0.00}));
  EXPECT_NEAR(book.Get(number).reward.mean, 0.05, 1e-9);
  EXPECT_EQ(book.pairs(), 4);
}

TEST(SearchBookTest, FailuresKeepTheirOutcomeAndReason) {
  SearchBook book(Throughput(), {0.01, -0.01});
  const auto number = book.Open(CandidateOf(1));
  PairBlock crash;
  crash.outcome = Outcome::kCrashed;
  crash.reason = "it ended by signal 11";
  book.Add(number, crash);
  EXPECT_EQ(book.Get(number).outcome, Outcome::kCrashed);
  EXPECT_EQ(book.Get(number).reason, "it ended by signal 11");
  EXPECT_EQ(book.Get(number).reward.mean, Throughput().failure_reward);
  EXPECT_EQ(book.SensitivityP(), 0);
}

TEST(SearchBookTest, MetricThatCannotBeARatioIsWrong) {
  SearchBook book(Throughput(), {0.01, -0.01});
  const auto number = book.Open(CandidateOf(1));
  PairBlock block = BlockOf({0.1});
  block.pairs[0].candidate.metrics["throughput"].value = 0;
  book.Add(number, block);
  EXPECT_EQ(book.Get(number).outcome, Outcome::kWrong);
  EXPECT_NE(book.Get(number).reason, "");
}

TEST(SearchBookTest, BrokenLimitsAreSeenAndNeverTheBest) {
  SearchBook book(Throughput(), {0.01, -0.01});
  const auto fast = book.Open(CandidateOf(1));
  book.Add(fast, BlockOf({0.5, 0.5, 0.5}, 20));
  const auto fair = book.Open(CandidateOf(2));
  book.Add(fair, BlockOf({0.1, 0.1, 0.1}, 11));
  EXPECT_FALSE(book.Get(fast).is_within_limits);
  EXPECT_TRUE(book.Get(fair).is_within_limits);
  EXPECT_LT(book.SureBest(fast), 0.11);
  EXPECT_EQ(book.SureBest(fair), 0);
}

TEST(SearchBookTest, SensitivityTellsMovedFromUnmoved) {
  Rng rng(5);
  const auto book_of = [&](double effect) {
    SearchBook book(Throughput(), {0.02 * rng.Normal(), 0.02 * rng.Normal(), 0.02 * rng.Normal(),
                                   0.02 * rng.Normal(), 0.02 * rng.Normal()});
    for (int trial = 0; trial < 12; ++trial) {
      const auto number = book.Open(CandidateOf(trial));
      const double centre = effect * rng.Normal();
      book.Add(number, BlockOf({centre + 0.02 * rng.Normal(), centre + 0.02 * rng.Normal(),
                                centre + 0.02 * rng.Normal()}));
    }
    return book.SensitivityP();
  };
  EXPECT_GT(book_of(0), 0.05);
  EXPECT_LT(book_of(0.1), 0.01);
}

}  // namespace
}  // namespace hone::tune
