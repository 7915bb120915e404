// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/gaussian_process.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "hone/core/rng.h"

namespace hone::tune {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Points in the unit cube; only the first coordinate matters.
Observations Observe(Index dimensions, Index count, double noise, std::uint64_t seed = 1) {
  Rng rng(seed);
  Observations seen{.points = MatrixXd(dimensions, count),
                    .values = VectorXd(count),
                    .variances = VectorXd::Constant(count, noise * noise),
                    .doubt = VectorXd::Ones(count)};
  for (double& x : seen.points.reshaped()) x = rng.Uniform();
  for (Index i = 0; i < count; ++i) {
    seen.values(i) = std::sin(5 * seen.points(0, i)) + noise * rng.Normal();
  }
  return seen;
}

std::vector<int> OneGroupEach(Index dimensions) {
  std::vector<int> groups(static_cast<std::size_t>(dimensions));
  std::iota(groups.begin(), groups.end(), 0);
  return groups;
}

TEST(GaussianProcessTest, GradientAgreesWithFiniteDifferences) {
  GaussianProcess process({0, 1, 1, 2});
  process.SetObservations(Observe(4, 25, 0.1));
  const VectorXd at{{-0.3, 0.4, 1.0, 0.2, -1.5, -0.4}};
  const VectorXd gradient = process.LogPosteriorAt(at).gradient;
  for (Index k = 0; k < at.size(); ++k) {
    constexpr double kStep = 1e-5;
    VectorXd up = at;
    VectorXd down = at;
    up(k) += kStep;
    down(k) -= kStep;
    const double slope =
        (process.LogPosteriorAt(up).value - process.LogPosteriorAt(down).value) / (2 * kStep);
    EXPECT_NEAR(gradient(k), slope, 1e-4 * (1 + std::abs(slope))) << "hyper-parameter " << k;
  }
}

VectorXd SquaresOf(const MatrixXd& points) { return 3 * points.row(0).array().square(); }

TEST(GaussianProcessTest, APriorMeanIsBelievedWhereNothingWasSeen) {
  GaussianProcess process({0});
  process.SetObservations({.points = MatrixXd::Constant(1, 1, 0.1),
                           .values = VectorXd::Zero(1),
                           .variances = VectorXd::Constant(1, 1e-6),
                           .doubt = VectorXd::Zero(1)});
  const MatrixXd far = MatrixXd::Constant(1, 1, 0.9);
  EXPECT_NEAR(process.PredictMean(far)(0), 0, 1e-3);
  process.SetPriorMean(SquaresOf);
  EXPECT_NEAR(process.PredictMean(far)(0), SquaresOf(far)(0), 0.1);
}

TEST(GaussianProcessTest, APriorMeanIsCorrectedByWhatWasSeen) {
  const Observations seen = Observe(1, 12, 0.01);
  GaussianProcess plain({0});
  plain.SetObservations(seen);
  plain.Fit(50);
  GaussianProcess led = plain;
  led.SetPriorMean(SquaresOf);
  EXPECT_NEAR((led.PredictMean(seen.points) - plain.PredictMean(seen.points)).norm(), 0, 0.05);
  EXPECT_EQ(led.Predict(seen.points).mean, led.PredictMean(seen.points));
  EXPECT_EQ(led.Predict(seen.points).variance, plain.Predict(seen.points).variance);
  const VectorXd point = VectorXd::Constant(1, 0.5);
  led.Append(point, 0.9, 1e-6);
  EXPECT_NEAR(led.PredictMean(point)(0), 0.9, 0.2);
}

TEST(GaussianProcessTest, HowMuchOfAShapeIsInTheValuesIsFound) {
  Observations seen = Observe(2, 30, 0.05);
  const MatrixXd shape = seen.points.row(1).array() - 0.5;
  seen.values += 4 * shape.row(0).transpose();
  GaussianProcess process(OneGroupEach(2));
  process.SetObservations(seen);
  process.Fit(50);
  const auto evidence = process.EvidenceOf(shape);
  ASSERT_EQ(evidence.pull.size(), 1);
  EXPECT_NEAR(evidence.pull(0) / evidence.precision(0, 0), 4, 1);
}

TEST(GaussianProcessTest, InterpolatesWhatIsKnownWithoutNoise) {
  const Observations seen = Observe(1, 12, 0.0);
  GaussianProcess process({0});
  process.SetObservations(seen);
  process.Fit(50);
  const Belief belief = process.Predict(seen.points);
  for (Index i = 0; i < seen.values.size(); ++i) {
    EXPECT_NEAR(belief.mean(i), seen.values(i), 0.03);
    EXPECT_LT(belief.variance(i), 0.01);
  }
}

TEST(GaussianProcessTest, TrustsAnObservationByItsStandardError) {
  GaussianProcess process({0});
  process.SetObservations({.points = MatrixXd{{0.0, 1.0}},
                           .values = VectorXd{{1.0, 1.0}},
                           .variances = VectorXd{{1e-4, 1.0}},
                           .doubt = VectorXd{{0.0, 1.0}}});
  const Belief belief = process.Predict(MatrixXd{{0.0, 1.0}});
  EXPECT_GT(belief.mean(0), 0.95);
  EXPECT_LT(belief.mean(1), 0.9);
  EXPECT_LT(belief.variance(0), 0.01);
  EXPECT_GT(belief.variance(1), 0.2);
}

TEST(GaussianProcessTest, IrrelevantFeaturesAreLearntAway) {
  GaussianProcess process(OneGroupEach(20));
  process.SetObservations(Observe(20, 80, 0.05));
  process.Fit(60);
  const VectorXd lengths = process.hyperparameters().head(20);
  EXPECT_GT(lengths.tail(19).minCoeff(), lengths(0) + 1);
}

TEST(GaussianProcessTest, AppendingGivesWhatFactorisingGives) {
  const Observations seen = Observe(3, 30, 0.1);
  GaussianProcess whole(OneGroupEach(3));
  whole.SetObservations(seen);
  GaussianProcess grown(OneGroupEach(3));
  grown.SetObservations({.points = seen.points.leftCols(10),
                         .values = seen.values.head(10),
                         .variances = seen.variances.head(10),
                         .doubt = seen.doubt.head(10)});
  for (Index i = 10; i < 30; ++i) {
    grown.Append(seen.points.col(i), seen.values(i), seen.variances(i));
  }
  const MatrixXd probes = Observe(3, 7, 0.1, 9).points;
  EXPECT_TRUE(grown.Predict(probes).mean.isApprox(whole.Predict(probes).mean, 1e-8));
  EXPECT_TRUE(grown.Predict(probes).variance.isApprox(whole.Predict(probes).variance, 1e-8));
  EXPECT_TRUE(grown.PredictMean(probes).isApprox(grown.Predict(probes).mean, 1e-12));
}

TEST(GaussianProcessTest, CovarianceOfAPointWithItselfIsItsVariance) {
  GaussianProcess process(OneGroupEach(2));
  process.SetObservations(Observe(2, 20, 0.1));
  const Belief belief = process.Predict(Observe(2, 5, 0.1, 4).points);
  const MatrixXd covariance = process.Covariance(belief, belief);
  EXPECT_TRUE(covariance.diagonal().isApprox(belief.variance, 1e-6));
  EXPECT_TRUE(covariance.isApprox(covariance.transpose(), 1e-9));
}

TEST(GaussianProcessTest, ManyObservationsAndRepeatedPointsStaySound) {
  Observations seen = Observe(2, 250, 0.0);
  seen.points.rightCols(50) = seen.points.leftCols(50);
  GaussianProcess process(OneGroupEach(2));
  process.SetObservations(seen);
  process.Fit(10);
  EXPECT_TRUE(process.Predict(seen.points).mean.allFinite());
}

TEST(GaussianProcessTest, EqualValuesAreNoTrouble) {
  Observations seen = Observe(2, 10, 0.1);
  seen.values.setConstant(0.25);
  GaussianProcess process(OneGroupEach(2));
  process.SetObservations(seen);
  process.Fit(20);
  EXPECT_NEAR(process.Predict(seen.points).mean(0), 0.25, 0.1);
}

}  // namespace
}  // namespace hone::tune
