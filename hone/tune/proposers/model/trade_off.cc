// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/trade_off.h"

#include <algorithm>

namespace hone::tune {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kAugmentation = 0.05;

}  // namespace

ObjectiveTable TabulateObjectives(const std::vector<Trial>& trials) {
  std::size_t count = 0;
  for (const Trial& trial : trials) count = std::max(count, trial.objectives.size());
  const auto rows = static_cast<Index>(count);
  const auto columns = static_cast<Index>(trials.size()) + 1;
  ObjectiveTable table{.means = MatrixXd::Zero(rows, columns),
                       .variances = MatrixXd::Zero(rows, columns)};
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (std::size_t k = 0; k < trials[i].objectives.size(); ++k) {
      const Estimate& seen = trials[i].objectives[k];
      table.means(static_cast<Index>(k), static_cast<Index>(i) + 1) = seen.mean;
      table.variances(static_cast<Index>(k), static_cast<Index>(i) + 1) =
          seen.standard_error * seen.standard_error;
    }
  }
  return table;
}

VectorXd RandomWeights(Index count, Rng rng) {
  VectorXd weights(count);
  for (double& weight : weights) weight = rng.Exponential() + 1e-9;
  return weights / weights.sum();
}

VectorXd ScalarisationSlopes(const MatrixXd& objectives, const VectorXd& weights) {
  const VectorXd range = objectives.rowwise().maxCoeff() - objectives.rowwise().minCoeff();
  return weights.array() / (range.array() > 0).select(range.array(), 1.0);
}

VectorXd Scalarised(const MatrixXd& objectives, const VectorXd& weights) {
  const VectorXd best = objectives.rowwise().maxCoeff();
  const MatrixXd shortfall =
      ScalarisationSlopes(objectives, weights).asDiagonal() * ((-objectives).colwise() + best);
  return -(shortfall.colwise().maxCoeff() + kAugmentation * shortfall.colwise().sum()).transpose();
}

std::vector<std::size_t> NonDominated(const MatrixXd& objectives) {
  std::vector<std::size_t> kept;
  for (Index i = 0; i < objectives.cols(); ++i) {
    bool is_dominated = false;
    for (Index j = 0; j < objectives.cols() && !is_dominated; ++j) {
      is_dominated = (objectives.col(j).array() >= objectives.col(i).array()).all() &&
                     (objectives.col(j).array() > objectives.col(i).array()).any();
    }
    if (!is_dominated) kept.push_back(static_cast<std::size_t>(i));
  }
  return kept;
}

}  // namespace hone::tune
