// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/gaussian_process.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "hone/core/check.h"
#include "hone/tune/proposers/model/minimise.h"

namespace hone::tune {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRoot5 = 2.23606797749978969641;
constexpr double kRoot15 = 3.87298334620741688518;
constexpr double kMeanVariance = 1.0;  // Of the unknown constant, in scaled units.
constexpr double kNoiseFloor = 1e-6;   // Keeps the matrix positive where noise is absent.
constexpr Index kMaxFitted = 100;      // Observations used for the likelihood.
constexpr Index kMaxRestarted = 60;    // Up to here a second start, from the prior, is cheap.
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Blocks of a fixed size, whatever the caches of this machine: the order of the additions, and
// with it the last bits, are the same everywhere.
void FixBlockSizes() { Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 2 << 20); }

std::vector<Index> AllOf(Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

// Squared distances between the columns of a and b.
MatrixXd SquaredDistances(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd squared = -2.0 * (a.transpose() * b);
  squared.colwise() += a.colwise().squaredNorm().transpose();
  squared.rowwise() += b.colwise().squaredNorm();
  return squared.cwiseMax(0.0);
}

}  // namespace

GaussianProcess::GaussianProcess(std::vector<int> group, const GaussianProcessPrior& prior)
    : group_(std::move(group)),
      groups_(group_.empty() ? 0 : 1 + *std::max_element(group_.begin(), group_.end())) {
  static const bool is_fixed = (FixBlockSizes(), true);
  HONE_CHECK(is_fixed);
  const double length =
      prior.length_centre + 0.5 * std::log(std::max(1.0, static_cast<double>(groups_)));
  prior_centre_.resize(groups_ + 3);
  prior_centre_ << VectorXd::Constant(groups_, length), prior.signal_centre, prior.nugget_centre,
      prior.trend_centre;
  VectorXd spread(groups_ + 3);
  spread << VectorXd::Constant(groups_, prior.length_spread), prior.signal_spread,
      prior.nugget_spread, prior.trend_spread;
  prior_precision_ = spread.array().square().inverse();
  hyperparameters_ = prior_centre_;
  observations_.points.resize(static_cast<Index>(group_.size()), 0);
}

double GaussianProcess::NuggetVariance() const {
  return std::exp(2 * hyperparameters_(groups_ + 1)) * scale_ * scale_;
}

VectorXd GaussianProcess::InverseLengths(const VectorXd& hyperparameters) const {
  VectorXd inverse(static_cast<Index>(group_.size()));
  for (Index k = 0; k < inverse.size(); ++k) {
    inverse(k) = std::exp(-hyperparameters(group_[static_cast<std::size_t>(k)]));
  }
  return inverse;
}

// Both rows of a feature have the same variance over [0, 1].
MatrixXd GaussianProcess::Trend(const MatrixXd& points, const VectorXd& inverse) const {
  const auto centred = points.array() - 0.5;
  MatrixXd trend(2 * points.rows(), points.cols());
  trend << inverse.asDiagonal() * centred.matrix(),
      inverse.asDiagonal() * (kRoot15 * (centred.square() - 1.0 / 12)).matrix();
  return trend;
}

MatrixXd GaussianProcess::Kernel(const MatrixXd& a, const MatrixXd& b) const {
  const VectorXd inverse = InverseLengths(hyperparameters_);
  const double signal = std::exp(2 * hyperparameters_(groups_));
  const double trend = std::exp(2 * hyperparameters_(groups_ + 2));
  const MatrixXd squared = SquaredDistances(inverse.asDiagonal() * a, inverse.asDiagonal() * b);
  const Eigen::ArrayXXd r = kRoot5 * squared.array().sqrt();
  MatrixXd kernel = kMeanVariance + signal * (1 + r + (5.0 / 3) * squared.array()) * (-r).exp();
  kernel.noalias() += trend * (Trend(a, inverse).transpose() * Trend(b, inverse));
  return kernel;
}

// The diagonal of Kernel(points, points).
VectorXd GaussianProcess::PriorVariance(const MatrixXd& points) const {
  const double trend = std::exp(2 * hyperparameters_(groups_ + 2));
  const MatrixXd at = Trend(points, InverseLengths(hyperparameters_));
  return kMeanVariance + std::exp(2 * hyperparameters_(groups_)) +
         trend * at.colwise().squaredNorm().transpose().array();
}

void GaussianProcess::SetObservations(Observations observations) {
  observations_ = std::move(observations);
  Factorise();
}

void GaussianProcess::Append(const VectorXd& point, double value, double variance) {
  const Index n = size();
  const MatrixXd column = Kernel(observations_.points, point);
  const double nugget = std::exp(2 * hyperparameters_(groups_ + 1));
  const double diagonal =
      PriorVariance(point)(0) + nugget + kNoiseFloor + variance / (scale_ * scale_);
  const VectorXd row = factor_.triangularView<Eigen::Lower>().solve(column).col(0);

  factor_.conservativeResize(n + 1, n + 1);
  factor_.col(n).setZero();
  factor_.row(n).head(n) = row.transpose();
  factor_(n, n) = std::sqrt(std::max(diagonal - row.squaredNorm(), kNoiseFloor));

  observations_.points.conservativeResize(Eigen::NoChange, n + 1);
  observations_.points.col(n) = point;
  observations_.values.conservativeResize(n + 1);
  observations_.values(n) = value;
  observations_.variances.conservativeResize(n + 1);
  observations_.variances(n) = variance;
  observations_.doubt.conservativeResize(n + 1);
  observations_.doubt(n) = 1;
  SolveWeights();
}

void GaussianProcess::SetValues(VectorXd values) {
  HONE_CHECK(values.size() == size());
  observations_.values = std::move(values);
  SolveWeights();
}

VectorXd GaussianProcess::NoiseVariance(const Observations& scaled,
                                        const VectorXd& hyperparameters) const {
  const double nugget = std::exp(2 * hyperparameters(groups_ + 1));
  return kNoiseFloor + nugget * scaled.doubt.array() + scaled.variances.array();
}

void GaussianProcess::Factorise() {
  HONE_CHECK(observations_.doubt.size() == size() && observations_.variances.size() == size());
  MatrixXd kernel = Kernel(observations_.points, observations_.points);
  kernel.diagonal() += NoiseVariance(Scaled(AllOf(size())), hyperparameters_);
  const Eigen::LLT<MatrixXd> cholesky(kernel);
  HONE_CHECK(cholesky.info() == Eigen::Success);
  factor_ = cholesky.matrixL();
  SolveWeights();
}

void GaussianProcess::SetPriorMean(PriorMean mean) {
  prior_mean_ = std::move(mean);
  SolveWeights();
}

GaussianProcess::ShapeEvidence GaussianProcess::EvidenceOf(const MatrixXd& shapes) const {
  MatrixXd whitened = shapes.transpose();
  factor_.triangularView<Eigen::Lower>().solveInPlace(whitened);
  VectorXd values = observations_.values;
  factor_.triangularView<Eigen::Lower>().solveInPlace(values);
  const double unit = scale_ * scale_;
  return {.precision = whitened.transpose() * whitened / unit,
          .pull = whitened.transpose() * values / unit};
}

void GaussianProcess::SolveWeights() {
  weights_ = observations_.values / scale_;
  if (prior_mean_) weights_ -= prior_mean_(observations_.points) / scale_;
  factor_.triangularView<Eigen::Lower>().solveInPlace(weights_);
  factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(weights_);
}

// The spread of the values, noise included: a unit in which a signal of size 1 is plausible.
void GaussianProcess::Rescale() {
  const auto centred = observations_.values.array() - observations_.values.mean();
  const double spread = std::sqrt(centred.square().mean());
  scale_ = spread > 1e-12 ? spread : 1.0;
}

Observations GaussianProcess::Scaled(const std::vector<Index>& chosen) const {
  VectorXd values = observations_.values(chosen) / scale_;
  if (prior_mean_) values -= prior_mean_(observations_.points(Eigen::all, chosen)) / scale_;
  return {.points = observations_.points(Eigen::all, chosen),
          .values = std::move(values),
          .variances = observations_.variances(chosen) / (scale_ * scale_),
          .doubt = observations_.doubt(chosen)};
}

std::vector<Index> GaussianProcess::ChooseForFit() const {
  std::vector<Index> order = AllOf(size());
  if (size() <= kMaxFitted) return order;
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return observations_.values(a) > observations_.values(b);
  });
  const std::size_t best = kMaxFitted / 2;
  const std::size_t rest = order.size() - best;
  std::vector<Index> chosen(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(best));
  for (std::size_t k = 0; k < kMaxFitted - best; ++k) {
    chosen.push_back(order[best + k * rest / (kMaxFitted - best)]);
  }
  return chosen;
}

void GaussianProcess::Fit(int max_evaluations) {
  if (size() == 0) return;
  Rescale();
  const Observations scaled = Scaled(ChooseForFit());
  const auto negated = [&](const VectorXd& at) {
    LogPosterior found = Evaluate(scaled, at);
    return Sloped{.value = -found.value, .gradient = -found.gradient};
  };
  VectorXd best = Minimise(negated, hyperparameters_, max_evaluations);
  if (size() <= kMaxRestarted) {
    const VectorXd other = Minimise(negated, prior_centre_, max_evaluations);
    if (Evaluate(scaled, other).value > Evaluate(scaled, best).value) best = other;
  }
  hyperparameters_ = std::move(best);
  Factorise();
}

GaussianProcess::LogPosterior GaussianProcess::LogPosteriorAt(
    const VectorXd& hyperparameters) const {
  return Evaluate(Scaled(AllOf(size())), hyperparameters);
}

double GaussianProcess::LogEvidenceGivenFirst() const {
  HONE_CHECK(size() > 0 && observations_.values(0) == 0);
  const double first = -0.5 * std::log(PriorVariance(observations_.points.leftCols(1))(0));
  return LogPosteriorAt(hyperparameters_).value - first -
         static_cast<double>(size() - 1) * std::log(scale_);
}

// The gradient of the likelihood is ½ tr((w wᵀ - K⁻¹) dK), with w = K⁻¹ y. For a length scale dK
// has the entries c_ij (x_ik - x_jk)² / length², so the trace needs no matrix of its own for each
// feature: sum_ij B_ij (x_i - x_j)² = 2 (sum_i x_i² sum_j B_ij - xᵀ B x).
GaussianProcess::LogPosterior GaussianProcess::Evaluate(const Observations& scaled,
                                                        const VectorXd& hyperparameters) const {
  const Index n = scaled.values.size();
  const double signal = std::exp(2 * hyperparameters(groups_));
  const double trend = std::exp(2 * hyperparameters(groups_ + 2));
  const VectorXd inverse = InverseLengths(hyperparameters);
  const MatrixXd stretched = inverse.asDiagonal() * scaled.points;
  const MatrixXd trends = Trend(scaled.points, inverse);
  const MatrixXd squared = SquaredDistances(stretched, stretched);
  const Eigen::ArrayXXd r = kRoot5 * squared.array().sqrt();
  const Eigen::ArrayXXd decay = signal * (-r).exp();
  const Eigen::ArrayXXd matern = (1 + r + (5.0 / 3) * squared.array()) * decay;

  MatrixXd kernel = matern + kMeanVariance;
  kernel.noalias() += trend * (trends.transpose() * trends);
  kernel.diagonal() += NoiseVariance(scaled, hyperparameters);
  const Eigen::LLT<MatrixXd> cholesky(kernel);
  LogPosterior found{.value = -kInfinity, .gradient = VectorXd::Zero(groups_ + 3)};
  if (cholesky.info() != Eigen::Success) return found;

  const VectorXd weights = cholesky.solve(scaled.values);
  MatrixXd root = MatrixXd::Identity(n, n);
  cholesky.matrixL().solveInPlace(root);
  MatrixXd slope = weights * weights.transpose();
  slope.selfadjointView<Eigen::Lower>().rankUpdate(root.transpose(), -1.0);
  slope = MatrixXd(slope.selfadjointView<Eigen::Lower>());
  found.value =
      -0.5 * scaled.values.dot(weights) - cholesky.matrixLLT().diagonal().array().log().sum();
  found.gradient(groups_) = (slope.array() * matern).sum();
  found.gradient(groups_ + 1) =
      std::exp(2 * hyperparameters(groups_ + 1)) * slope.diagonal().dot(scaled.doubt);

  const MatrixXd pull = slope.array() * (5.0 / 3) * (1 + r) * decay;
  const VectorXd row_sums = pull.rowwise().sum();
  const MatrixXd pulled = stretched * pull;
  const VectorXd tilted = trend * (trends * slope).cwiseProduct(trends).rowwise().sum();
  const Index features = stretched.rows();
  for (Index k = 0; k < features; ++k) {
    found.gradient(group_[static_cast<std::size_t>(k)]) +=
        stretched.row(k).array().square().matrix().dot(row_sums) -
        pulled.row(k).dot(stretched.row(k)) - tilted(k) - tilted(k + features);
  }
  found.gradient(groups_ + 2) = tilted.sum();
  const VectorXd off = hyperparameters - prior_centre_;
  found.value -= 0.5 * off.cwiseAbs2().dot(prior_precision_);
  found.gradient -= off.cwiseProduct(prior_precision_);
  return found;
}

Belief GaussianProcess::Predict(MatrixXd points) const {
  Belief belief{.points = std::move(points), .mean = {}, .variance = {}, .whitened = {}};
  belief.whitened = Kernel(observations_.points, belief.points);
  belief.mean = scale_ * (belief.whitened.transpose() * weights_);
  if (prior_mean_) belief.mean += prior_mean_(belief.points);
  factor_.triangularView<Eigen::Lower>().solveInPlace(belief.whitened);
  const VectorXd prior = PriorVariance(belief.points);
  belief.variance = (scale_ * scale_) *
                    (prior.array() - belief.whitened.colwise().squaredNorm().transpose().array())
                        .cwiseMax(kNoiseFloor * 1e-3)
                        .matrix();
  return belief;
}

VectorXd GaussianProcess::PredictMean(const MatrixXd& points) const {
  VectorXd mean = scale_ * (Kernel(observations_.points, points).transpose() * weights_);
  if (prior_mean_) mean += prior_mean_(points);
  return mean;
}

MatrixXd GaussianProcess::Covariance(const Belief& a, const Belief& b) const {
  return (scale_ * scale_) * (Kernel(a.points, b.points) - a.whitened.transpose() * b.whitened);
}

}  // namespace hone::tune
