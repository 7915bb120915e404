// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

namespace hone::tune {

// What was seen of an unknown function.
struct Observations {
  Eigen::MatrixXd points;  // One column each.
  Eigen::VectorXd values;
  Eigen::VectorXd variances;  // Of the noise in each value: its standard error, squared.
  Eigen::VectorXd doubt;      // 1: the nugget adds to the noise; 0: the value is known for sure.
};

// What is believed of the function at some points, given the observations.
struct Belief {
  Eigen::MatrixXd points;
  Eigen::VectorXd mean;
  Eigen::VectorXd variance;
  Eigen::MatrixXd whitened;  // What Covariance needs; one column a point.
};

// Normal priors of the logarithms, in units of the spread of the values. The centre of the lengths
// is for one group; for G groups it is √G times as long.
struct GaussianProcessPrior {
  double length_centre = -1.0;
  double length_spread = 1.0;
  double signal_centre = 0.0;
  double signal_spread = 0.7;
  double nugget_centre = -3.0;
  double nugget_spread = 1.0;
  double trend_centre = -0.7;
  double trend_spread = 1.0;
};

// Gaussian process regression with a known noise for each observation:
//
//   y_i = f(x_i) + e_i,   e_i ~ N(0, variance_i + doubt_i nugget²),
//   cov(f(x), f(x')) = mean² + trend² t(x)·t(x') + signal² M(r),
//   M(r) = (1 + √5 r + 5/3 r²) exp(-√5 r),                     (Matern 5/2)
//   r² = sum over features (x_k - x'_k)² / length_g(k)²,
//   t(x): x_k and x_k² of each feature, centred in [0, 1] and divided by length_g(k),
//
// a quadratic response surface in the single features plus whatever it cannot explain. Features of
// one group share a length scale, which says how much they matter in both. The hyper-parameters
// (log lengths, log signal, log nugget, log trend) maximise the posterior; the prior of the lengths
// grows with the square root of the number of groups (Hvarfner, Hellsten, Nardi, "Vanilla Bayesian
// Optimization Performs Great in High Dimensions", ICML 2024), so that features that do not matter
// are learnt away.
class GaussianProcess {
 public:
  // `group[k]` is the group of feature k; groups are 0, 1, … without gaps.
  explicit GaussianProcess(std::vector<int> group, const GaussianProcessPrior& prior = {});

  // Replaces all observations; the hyper-parameters stay.
  void SetObservations(Observations observations);

  // Adds one, with doubt, in time n² instead of n³.
  void Append(const Eigen::VectorXd& point, double value, double variance);

  // Other values at the same points, in time n².
  void SetValues(Eigen::VectorXd values);

  // What is believed of each point before anything was seen, instead of 0.
  using PriorMean = std::function<Eigen::VectorXd(const Eigen::MatrixXd& points)>;
  void SetPriorMean(PriorMean mean);

  // How much of each shape is in the values, by generalised least squares: with the values' whole
  // covariance K and a shape's values at the points in each row of S, the precision S K⁻¹ Sᵀ of the
  // amounts, and S K⁻¹ y, its product with what is likeliest.
  struct ShapeEvidence {
    Eigen::MatrixXd precision;
    Eigen::VectorXd pull;
  };
  ShapeEvidence EvidenceOf(const Eigen::MatrixXd& shapes) const;

  // Improves the hyper-parameters from where they are, with at most this many evaluations of the
  // likelihood. Of very many observations only the best and an even spread of the rest are used.
  void Fit(int max_evaluations);

  Belief Predict(Eigen::MatrixXd points) const;
  Eigen::VectorXd PredictMean(const Eigen::MatrixXd& points) const;  // Much cheaper.
  Eigen::MatrixXd Covariance(const Belief& a, const Belief& b) const;

  Eigen::Index groups() const { return groups_; }
  Eigen::Index size() const { return observations_.values.size(); }
  const Observations& observations() const { return observations_; }
  const Eigen::VectorXd& hyperparameters() const { return hyperparameters_; }
  double NuggetVariance() const;  // In squared units of the values.

  struct LogPosterior {
    double value = 0;  // Up to a constant; minus infinity where the kernel matrix is not positive.
    Eigen::VectorXd gradient;
  };
  LogPosterior LogPosteriorAt(const Eigen::VectorXd& hyperparameters) const;

  // How likely the values after the first are, given that the first is 0 and known for sure: at the
  // hyper-parameters, whose prior counts, and up to a constant for each value.
  double LogEvidenceGivenFirst() const;

 private:
  Eigen::MatrixXd Kernel(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const;
  LogPosterior Evaluate(const Observations& scaled, const Eigen::VectorXd& hyperparameters) const;
  Observations Scaled(const std::vector<Eigen::Index>& chosen) const;
  std::vector<Eigen::Index> ChooseForFit() const;
  Eigen::VectorXd NoiseVariance(const Observations& scaled,
                                const Eigen::VectorXd& hyperparameters) const;
  Eigen::VectorXd PriorVariance(const Eigen::MatrixXd& points) const;
  Eigen::MatrixXd Trend(const Eigen::MatrixXd& points, const Eigen::VectorXd& inverse) const;
  Eigen::VectorXd InverseLengths(const Eigen::VectorXd& hyperparameters) const;
  void Rescale();
  void Factorise();
  void SolveWeights();

  std::vector<int> group_;
  Eigen::Index groups_;
  Eigen::VectorXd prior_centre_;
  Eigen::VectorXd prior_precision_;
  Eigen::VectorXd hyperparameters_;

  Observations observations_;
  double scale_ = 1;        // The unit in which the hyper-parameters are; set by Fit.
  Eigen::MatrixXd factor_;  // Lower Cholesky factor of the kernel matrix, in scaled units.
  Eigen::VectorXd weights_;
  PriorMean prior_mean_;  // Null: 0.
};

}  // namespace hone::tune
