// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/paired.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "hone/core/rng.h"
#include "hone/measure/noise_for_test.h"
#include "hone/measure/signed_rank.h"

namespace hone {
namespace {

// Hollander and Wolfe (1973), table 3.1: Hamilton depression scale factor IV, first visit less
// second.
std::vector<double> Depression() {
  const std::vector<double> first = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> second = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  std::vector<double> differences;
  for (std::size_t i = 0; i < first.size(); ++i) differences.push_back(first[i] - second[i]);
  return differences;
}

// Both tails by going through all signs of the non-zero values, with mean ranks and Pratt's zeros.
SignedRankTails EnumerateSigns(const std::vector<double>& values) {
  std::vector<double> ranks;
  double observed = 0;
  for (const double value : values) {
    if (value == 0) continue;
    double rank = 0.5;
    for (const double other : values) {
      if (std::abs(other) < std::abs(value)) rank += 1;
      if (std::abs(other) == std::abs(value)) rank += 0.5;
    }
    ranks.push_back(rank);
    if (value > 0) observed += rank;
  }
  double lower = 0;
  double upper = 0;
  const std::size_t patterns = std::size_t{1} << ranks.size();
  for (std::size_t pattern = 0; pattern < patterns; ++pattern) {
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if ((pattern >> i & 1) != 0) sum += ranks[i];
    }
    lower += sum <= observed;
    upper += sum >= observed;
  }
  const auto all = static_cast<double>(patterns);
  return {lower / all, upper / all};
}

// R 4.2: wilcox.test(x, y, paired = TRUE, conf.int = TRUE): V = 40, p = 0.0390625,
// pseudo-median 0.46, interval 0.010 to 0.786; one-sided p = 0.01953125.
TEST(TestPairsTest, MatchesHollanderAndWolfe) {
  const PairedTest test = TestPairs(Depression());
  EXPECT_NEAR(test.effect, 0.46, 1e-12);
  EXPECT_NEAR(test.interval.low, 0.010, 1e-12);
  EXPECT_NEAR(test.interval.high, 0.786, 1e-12);
  EXPECT_DOUBLE_EQ(test.p_value, 0.0390625);
  EXPECT_EQ(test.count, 9);
  EXPECT_DOUBLE_EQ(OneSidedP(Depression(), 0, Side::kAbove), 0.01953125);
  EXPECT_GT(OneSidedP(Depression(), 0, Side::kBelow), 0.98);
}

// R 4.2: psignrank and qsignrank.
TEST(SignedRankTest, DistributionMatchesR) {
  EXPECT_DOUBLE_EQ(SignedRankCdf(10, 0), 0.0009765625);
  EXPECT_DOUBLE_EQ(SignedRankCdf(10, 10), 0.0419921875);
  EXPECT_DOUBLE_EQ(SignedRankCdf(10, 52), 0.9970703125);
  EXPECT_NEAR(SignedRankCdf(20, 52), 0.02422046661377, 1e-14);
  EXPECT_NEAR(SignedRankCdf(20, 105), 0.50728225708008, 1e-14);
  EXPECT_NEAR(SignedRankCdf(20, 130), 0.82559490203857, 1e-14);
  EXPECT_NEAR(SignedRankCdf(100, 1500), 0.000174553514808, 1e-14);
  EXPECT_NEAR(SignedRankCdf(100, 3000), 0.948881947105074, 1e-14);
  const std::vector<std::pair<std::int64_t, std::int64_t>> quantiles = {
      {6, 1}, {10, 9}, {12, 14}, {20, 53}, {40, 265}, {100, 1956}};
  for (const auto& [n, quantile] : quantiles) EXPECT_EQ(SignedRankDepth(n, 0.025), quantile);
}

TEST(SignedRankTest, NormalApproximationMeetsTheExactDistribution) {
  const std::int64_t n = kMaxExactPairs;
  const std::int64_t depth = SignedRankDepth(n, 0.025);
  const std::int64_t next = SignedRankDepth(n + 1, 0.025);
  EXPECT_GT(next, depth);
  EXPECT_LT(next, depth + n);
  EXPECT_NEAR(SignedRankCdf(n + 1, next - 1), 0.025, 1e-3);
}

TEST(SignedRankTest, TailsMatchEnumerationWithTiesAndZeros) {
  Rng rng(11);
  for (int i = 0; i < 300; ++i) {
    std::vector<double> values(1 + rng.Below(10));
    const bool is_tied = i % 3 != 0;
    for (double& value : values) {
      value = is_tied ? std::round(2 * rng.Normal()) : rng.Normal();
    }
    const SignedRankTails expected = EnumerateSigns(values);
    const SignedRankTails found = TestSignedRanks(values, 0);
    EXPECT_NEAR(found.lower, expected.lower, 1e-12);
    EXPECT_NEAR(found.upper, expected.upper, 1e-12);
  }
}

TEST(SignedRankTest, ManyTiesAreCloseToTheExactTails) {
  Rng rng(5);
  std::vector<double> values(100);
  for (double& value : values) value = std::round(3 * rng.Normal() + 0.4);
  const double exact = TestSignedRanks(values, 0).upper;
  values.insert(values.end(), {0, 0});
  const double with_zeros = TestSignedRanks(values, 0).upper;
  values.insert(values.end(), {20, -20});  // Now over the limit of exact ties.
  EXPECT_NEAR(with_zeros, exact, 0.02);
  EXPECT_NEAR(TestSignedRanks(values, 0).upper, exact, 0.05);
}

TEST(TestPairsTest, TooFewPairsBoundNothing) {
  const std::vector<double> five = {1, 2, 3, 4, 5};
  EXPECT_EQ(TestPairs(five, 0.95).interval, Interval{});
  EXPECT_FALSE(TestPairs(five, 0.95).interval.IsBounded());
  EXPECT_DOUBLE_EQ(TestPairs(five, 0.95).p_value, 0.0625);
  EXPECT_TRUE(TestPairs(five, 0.90).interval.IsBounded());
  const std::vector<double> six = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(TestPairs(six, 0.95).interval, (Interval{1, 6}));
}

TEST(TestPairsTest, AllZerosSayNothingIsDifferent) {
  const PairedTest test = TestPairs(std::vector<double>(8, 0.0));
  EXPECT_EQ(test.p_value, 1);
  EXPECT_EQ(test.effect, 0);
  EXPECT_EQ(test.interval, (Interval{0, 0}));
}

TEST(TestPairsTest, IntervalHoldsTheCentresThatTheTestDoesNotReject) {
  Rng rng(2);
  for (int i = 0; i < 50; ++i) {
    const std::vector<double> values = Draw(Noise::kLaplace, 6 + rng.Below(30), rng);
    const Interval interval = TestPairs(values, 0.95).interval;
    EXPECT_GT(TwoSidedP(values, interval.low + 1e-9), 0.05);
    EXPECT_LE(TwoSidedP(values, interval.low - 1e-9), 0.05);
    EXPECT_GT(TwoSidedP(values, interval.high - 1e-9), 0.05);
    EXPECT_LE(TwoSidedP(values, interval.high + 1e-9), 0.05);
  }
}

TEST(TestPairsTest, ThreadsShareTheDistributions) {
  Rng rng(4);
  const std::vector<double> values = Draw(Noise::kNormal, 77, rng);
  std::vector<double> found(4);
  std::vector<std::jthread> threads;
  threads.reserve(found.size());
  for (double& p : found) threads.emplace_back([&] { p = TestPairs(values).p_value; });
  threads.clear();
  for (const double p : found) EXPECT_EQ(p, found[0]);
}

struct Situation {
  std::size_t pairs;
  Noise noise;
};

class CoverageTest : public testing::TestWithParam<Situation> {};

TEST_P(CoverageTest, IntervalCoversTheTruthAsOftenAsItSays) {
  constexpr int kSamples = 10'000;
  constexpr double kTruth = 0.1;
  Rng rng = Rng(17).Split(GetParam().pairs);
  int covered = 0;
  for (int i = 0; i < kSamples; ++i) {
    std::vector<double> values = Draw(GetParam().noise, GetParam().pairs, rng);
    for (double& value : values) value = kTruth + 0.05 * value;
    covered += TestPairs(values, 0.95).interval.Contains(kTruth);
  }
  RecordProperty("covered", covered);
  EXPECT_GE(covered, 0.935 * kSamples);
  EXPECT_LE(covered, 0.965 * kSamples);
}

std::vector<Situation> Situations() {
  std::vector<Situation> all;
  for (const std::size_t pairs : {12U, 20U, 40U}) {
    for (const Noise noise : {Noise::kNormal, Noise::kStudent3, Noise::kLaplace}) {
      all.push_back({pairs, noise});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(, CoverageTest, testing::ValuesIn(Situations()), [](const auto& param) {
  return NameOf(param.param.noise) + std::to_string(param.param.pairs);
});

// Values of which each is mostly the one before: as pairs on a machine that changes slowly.
TEST(TestDependentPairsTest, TheIntervalOfPairsThatAreAlikeIsWider) {
  int covered_as_independent = 0;
  int covered = 0;
  Rng rng(1);
  constexpr int kTimes = 400;
  for (int time = 0; time < kTimes; ++time) {
    std::vector<double> values(60);
    double before = rng.Normal();
    for (double& value : values) value = before = 0.5 * before + std::sqrt(0.75) * rng.Normal();
    covered_as_independent += TestPairs(values).interval.Contains(0) ? 1 : 0;
    covered += TestDependentPairs(values).interval.Contains(0) ? 1 : 0;
  }
  EXPECT_LT(covered_as_independent, 0.8 * kTimes);
  EXPECT_GT(covered, 0.88 * kTimes);
}

TEST(TestDependentPairsTest, OfIndependentOnesItIsAboutTheSame) {
  Rng rng(2);
  std::vector<double> values(200);
  for (double& value : values) value = rng.Normal();
  const Interval usual = TestPairs(values).interval;
  const Interval in_order = TestDependentPairs(values).interval;
  EXPECT_LE(in_order.low, usual.low);
  EXPECT_LT(in_order.high - in_order.low, 1.3 * (usual.high - usual.low));
}

}  // namespace
}  // namespace hone
