// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/sequential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "hone/measure/distributions.h"
#include "hone/measure/noise_for_test.h"

namespace hone {
namespace {

constexpr double kAlpha = 0.05;
constexpr int kLongest = 200;

// The share of series without effect that are rejected at any of the looks, one after each value.
template <typename Rejects>
double ErrorOf(Noise noise, int series, const Rejects& make_rejects) {
  const Rng seeds(23);
  int errors = 0;
  for (int i = 0; i < series; ++i) {
    Rng rng = seeds.Split(static_cast<std::uint64_t>(i));
    auto rejects = make_rejects();
    for (int n = 1; n <= kLongest; ++n) {
      if (!rejects(Draw(noise, rng))) continue;
      ++errors;
      break;
    }
  }
  return static_cast<double>(errors) / series;
}

// Evidence against a centre, for either side: the two one-sided stakes, half of the stake each.
double EvidenceAgainst(const ConfidenceSequence& sequence, double centre) {
  return 0.5 * (sequence.EValueAbove(centre) + sequence.EValueBelow(centre));
}

// The two-sided p-value of Student's test that the mean is 0.
double StudentP(const std::vector<double>& values) {
  if (values.size() < 2) return 1;
  const double t = std::abs(Mean(values)) / StandardErrorOfMean(values);
  return 2 * NoncentralStudentCdf(-t, static_cast<double>(values.size() - 1), 0);
}

double ErrorOfSequence(Noise noise, double guess, int series) {
  return ErrorOf(noise, series, [&] {
    return [sequence = ConfidenceSequence(kAlpha, guess)](double x) mutable {
      sequence.Add(x);
      return EvidenceAgainst(sequence, 0) >= 1 / kAlpha;
    };
  });
}

class PeekingTest : public testing::TestWithParam<Noise> {};

TEST_P(PeekingTest, ConfidenceSequenceKeepsItsErrorAtEveryLook) {
  const double error = ErrorOfSequence(GetParam(), 1, 1000);
  RecordProperty("error", std::to_string(error));
  EXPECT_LE(error, kAlpha);
  for (const double guess : {0.0, 30.0}) {
    EXPECT_LE(ErrorOfSequence(GetParam(), guess, 300), kAlpha + 0.02) << guess;
  }
}

// The same simulation finds the fault in a test that is not made for it.
TEST_P(PeekingTest, StudentsTestDoesNotSurviveThis) {
  const double error = ErrorOf(GetParam(), 1000, [] {
    return [values = std::vector<double>()](double x) mutable {
      values.push_back(x);
      return StudentP(values) <= kAlpha;
    };
  });
  RecordProperty("error", std::to_string(error));
  EXPECT_GE(error, 0.2);
}

INSTANTIATE_TEST_SUITE_P(, PeekingTest,
                         testing::Values(Noise::kNormal, Noise::kStudent3, Noise::kLaplace),
                         [](const auto& param) { return NameOf(param.param); });

ConfidenceSequence Fill(double effect, int count, std::uint64_t seed, double guess) {
  Rng rng(seed);
  ConfidenceSequence sequence(kAlpha, guess);
  for (int i = 0; i < count; ++i) sequence.Add(effect + rng.Normal());
  return sequence;
}

TEST(ConfidenceSequenceTest, EndsAreWhereTheEvidenceReachesTheLevel) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ConfidenceSequence sequence = Fill(0.5, 15 + static_cast<int>(seed), seed, 1);
    const Interval interval = sequence.Current();
    ASSERT_TRUE(interval.IsBounded());
    EXPECT_GE(sequence.EValueAbove(interval.low), 2 / kAlpha);
    EXPECT_LT(sequence.EValueAbove(interval.low + 1e-5), 2 / kAlpha);
    EXPECT_GE(sequence.EValueBelow(interval.high), 2 / kAlpha);
    EXPECT_LT(sequence.EValueBelow(interval.high - 1e-5), 2 / kAlpha);
    EXPECT_GE(EvidenceAgainst(sequence, interval.low), 1 / kAlpha);
  }
}

TEST(ConfidenceSequenceTest, EvidenceIsTheMixtureItPromises) {
  ConfidenceSequence sequence(kAlpha, 2);
  EXPECT_DOUBLE_EQ(EvidenceAgainst(sequence, 0), 1);
  sequence.Add(3);
  sequence.Add(-1);
  double above = 0;
  for (const double bet : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0}) {
    above += (1 + std::tanh(bet * 2.5 / 2)) * (1 + std::tanh(bet * -1.5 / 2)) / 6;
  }
  EXPECT_NEAR(sequence.EValueAbove(0.5), above, 1e-12);
  EXPECT_EQ(sequence.Count(), 2);
}

TEST(ConfidenceSequenceTest, FewValuesBoundNothing) {
  ConfidenceSequence sequence(kAlpha, 0.01);
  for (int i = 0; i < 5; ++i) sequence.Add(1);
  EXPECT_EQ(sequence.Current(), Interval{});  // 2^5 < 2 / alpha.
  EXPECT_EQ(ConfidenceSequence(kAlpha).Current(), Interval{});
}

// How many values it takes until the evidence reaches the level; docs/measurement.md shows it.
TEST(ConfidenceSequenceTest, ClearEffectIsFoundSoon) {
  const std::vector<std::pair<double, double>> max_in_the_median = {
      {0.5, 45}, {1, 14}, {2, 8}, {4, 6}};
  for (const auto& [effect, max] : max_in_the_median) {
    std::vector<double> counts;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      Rng rng = Rng(5).Split(seed);
      ConfidenceSequence sequence(kAlpha, 1);
      while (sequence.Count() < 400 && EvidenceAgainst(sequence, 0) < 1 / kAlpha) {
        sequence.Add(effect + rng.Normal());
      }
      counts.push_back(static_cast<double>(sequence.Count()));
    }
    EXPECT_LE(Median(counts), max) << effect;
    RecordProperty("median_" + std::to_string(effect), static_cast<int>(Median(counts)));
    RecordProperty("p90_" + std::to_string(effect), static_cast<int>(Quantile(counts, 0.9)));
  }
}

TEST(ConfidenceSequenceTest, BadGuessCostsLittleOnceTheSpreadIsSeen) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Interval good = Fill(0, 60, seed, 1).Current();
    for (const double guess : {0.0, 0.2, 5.0, 1e3}) {
      const Interval bad = Fill(0, 60, seed, guess).Current();
      EXPECT_LT(bad.high - bad.low, 1.5 * (good.high - good.low)) << seed << " " << guess;
    }
  }
}

TEST(ConfidenceSequenceTest, ConstantValuesStayHonest) {
  ConfidenceSequence sequence(kAlpha);
  for (int i = 0; i < 50; ++i) sequence.Add(0.25);
  EXPECT_EQ(sequence.Current(), Interval{});  // No spread was ever seen, so nothing was bet.
  ConfidenceSequence guessed(kAlpha, 0.1);
  for (int i = 0; i < 50; ++i) guessed.Add(0.25);
  EXPECT_TRUE(guessed.Current().Contains(0.25));
  EXPECT_FALSE(guessed.Current().Contains(0));
}

TEST(ConfidenceSequenceTest, WildValuesDoNotOverflow) {
  ConfidenceSequence sequence(kAlpha, 1e-6);
  for (int i = 0; i < 30; ++i) sequence.Add(i % 2 == 0 ? 1e6 : -1e6);
  EXPECT_TRUE(std::isfinite(sequence.EValueAbove(0)));
  EXPECT_TRUE(sequence.Current().Contains(0));
}

}  // namespace
}  // namespace hone
