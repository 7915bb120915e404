// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hone/measure/distributions.h"
#include "hone/measure/noise_for_test.h"
#include "hone/measure/walsh.h"

namespace hone {
namespace {

const std::vector<double> kSample = {9.5, 1, 4, 8, 3};
const std::vector<double> kWithOutlier = {1, 3, 4, 8, 9.5, 100};

// NIST StRD univariate: NumAcc2, 3 and 4 are a value, then +-0.1 in turn, 500 times.
std::vector<double> NumAcc(double level) {
  std::vector<double> values{level + 0.2};
  for (int i = 0; i < 500; ++i) {
    values.push_back(level + 0.1);
    values.push_back(level + 0.3);
  }
  return values;
}

TEST(StatisticsTest, MeanAndDeviationMatchNistNumAcc) {
  const std::vector<double> first = {10000001, 10000003, 10000002};
  EXPECT_EQ(Mean(first), 10000002);
  EXPECT_EQ(StandardDeviation(first), 1);
  for (const double level : {1.0, 1e6, 1e7}) {
    const std::vector<double> values = NumAcc(level);
    EXPECT_DOUBLE_EQ(Mean(values), level + 0.2);
    // The data themselves are rounded: at 1e7 they hold nine digits of the 0.1.
    EXPECT_NEAR(StandardDeviation(values), 0.1, level * 1e-15);
  }
}

TEST(StatisticsTest, QuantilesMatchR) {
  EXPECT_DOUBLE_EQ(Quantile(kSample, 0.1), 1.8);
  EXPECT_DOUBLE_EQ(Quantile(kSample, 0.25), 3);
  EXPECT_DOUBLE_EQ(Quantile(kSample, 0.5), 4);
  EXPECT_DOUBLE_EQ(Quantile(kSample, 0.9), 8.9);
  EXPECT_EQ(Quantile(kSample, 0), 1);
  EXPECT_EQ(Quantile(kSample, 1), 9.5);
}

TEST(StatisticsTest, RobustNumbersMatchR) {
  EXPECT_EQ(Median(kSample), 4);
  EXPECT_EQ(Median(kWithOutlier), 6);
  EXPECT_DOUBLE_EQ(MedianAbsoluteDeviation(kWithOutlier), 4.81845);
}

TEST(StatisticsTest, HodgesLehmannIsTheMedianOfPairAverages) {
  // Averages of {1, 3, 8}: 1 2 3 4.5 5.5 8.
  EXPECT_DOUBLE_EQ(HodgesLehmann(std::vector<double>{8, 1, 3}), 3.75);
  EXPECT_EQ(HodgesLehmann(std::vector<double>{7}), 7);
}

TEST(StatisticsTest, SingleValueHasNoKnownError) {
  const std::vector<double> one = {3};
  EXPECT_EQ(Variance(one), 0);
  EXPECT_TRUE(std::isinf(StandardErrorOfMean(one)));
  EXPECT_TRUE(std::isinf(StandardErrorOfMedian(one)));
  EXPECT_TRUE(std::isinf(StandardErrorOfHodgesLehmann(one)));
}

TEST(StatisticsTest, StandardErrorOfHodgesLehmannShrugsAtOneWildRun) {
  std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const double robust = StandardErrorOfHodgesLehmann(values);
  const double plain = StandardErrorOfMean(values);
  values.back() = 1000;
  EXPECT_LT(StandardErrorOfHodgesLehmann(values), 1.6 * robust);
  EXPECT_GT(StandardErrorOfMean(values), 10 * plain);
}

class StandardErrorTest : public testing::TestWithParam<Noise> {};

// The estimated error against the spread of the estimator over many samples.
TEST_P(StandardErrorTest, ErrorsMatchTheSpreadOfTheEstimators) {
  Rng rng(7);
  for (const std::size_t n : {2U, 5U, 12U, 40U}) {
    std::vector<double> medians, centres, median_errors, centre_errors;
    for (int i = 0; i < 3000; ++i) {
      const std::vector<double> sample = Draw(GetParam(), n, rng);
      medians.push_back(Median(sample));
      centres.push_back(HodgesLehmann(sample));
      median_errors.push_back(StandardErrorOfMedian(sample));
      centre_errors.push_back(StandardErrorOfHodgesLehmann(sample));
    }
    // Few values say little of a heavy tail; the error of the median then errs on the safe side.
    const double median_ratio = Mean(median_errors) / StandardDeviation(medians);
    EXPECT_GT(median_ratio, 0.75) << n;
    EXPECT_LT(median_ratio, 1.5) << n;
    EXPECT_NEAR(Mean(centre_errors) / StandardDeviation(centres), 1, n == 2 ? 0.45 : 0.25) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(, StandardErrorTest,
                         testing::Values(Noise::kNormal, Noise::kStudent3, Noise::kLaplace),
                         [](const auto& param) { return NameOf(param.param); });

TEST(StatisticsTest, EmptyInputBreaksAPromise) {
  const std::vector<double> none;
  EXPECT_DEATH(Mean(none), "empty");
  EXPECT_DEATH(Median(none), "empty");
  EXPECT_DEATH(HodgesLehmann(none), "empty");
  EXPECT_DEATH(Median(std::vector<double>{1, NAN}), "isfinite");
}

TEST(WalshAveragesTest, SearchedAndSpelledOutAgree) {
  Rng rng(3);
  for (const std::size_t n : {1U, 2U, 3U, 64U, 65U, 150U}) {
    std::vector<double> values = Draw(Noise::kStudent3, n, rng);
    if (n > 3) values[1] = values[0];
    std::sort(values.begin(), values.end());
    std::vector<double> all;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j) all.push_back(0.5 * values[i] + 0.5 * values[j]);
    }
    std::sort(all.begin(), all.end());
    WalshAverages averages(values);
    ASSERT_EQ(averages.count(), std::ssize(all));
    for (std::size_t k = 0; k < all.size(); k += 1 + all.size() / 50) {
      EXPECT_EQ(averages.Kth(static_cast<std::int64_t>(k) + 1), all[k]) << n << " " << k;
    }
    EXPECT_DOUBLE_EQ(averages.Median(), Median(all));
  }
}

// Values from R 4.2: pnorm, qnorm, pt, qt, pbinom.
TEST(DistributionsTest, MatchR) {
  EXPECT_NEAR(NormalCdf(-1.5), 0.0668072012689, 1e-12);
  EXPECT_NEAR(NormalQuantile(0.975), 1.95996398454, 1e-11);
  EXPECT_NEAR(NoncentralStudentCdf(-2.5, 7, 0), 0.0204961092929, 1e-12);
  EXPECT_NEAR(NoncentralStudentCdf(1.3, 3, 0), 0.8577662456361, 1e-12);
  EXPECT_NEAR(StudentQuantile(0.975, 9), 2.26215716280, 1e-10);
  EXPECT_NEAR(NoncentralStudentCdf(2.2, 9, 1.7), 0.651105939017, 1e-9);
  EXPECT_NEAR(NoncentralStudentCdf(2.2, 9, -1.7), 0.999732650577, 1e-9);
  EXPECT_NEAR(FairCoinCdf(2, 10), 0.0546875, 1e-12);
  EXPECT_NEAR(FairCoinCdf(480, 1000), 0.108724146602, 1e-11);
  EXPECT_EQ(FairCoinCdf(3, 3), 1);
}

}  // namespace
}  // namespace hone
