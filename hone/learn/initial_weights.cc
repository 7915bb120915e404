// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/initial_weights.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace hone::learn {

using Eigen::Index;
using Eigen::MatrixXd;

std::vector<double> OrthogonalMatrix(std::size_t rows, std::size_t columns, double gain, Rng rng) {
  const auto tall = static_cast<Index>(std::max(rows, columns));
  const auto thin = static_cast<Index>(std::min(rows, columns));
  MatrixXd normal(tall, thin);
  for (Index i = 0; i < tall; ++i) {
    for (Index j = 0; j < thin; ++j) normal(i, j) = rng.Normal();
  }
  const Eigen::HouseholderQR<MatrixXd> qr(normal);
  MatrixXd q = qr.householderQ() * MatrixXd::Identity(tall, thin);
  for (Index j = 0; j < thin; ++j) {  // Makes the distribution uniform over such matrices.
    if (qr.matrixQR()(j, j) < 0) q.col(j) *= -1;
  }
  std::vector<double> weights(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const auto r = static_cast<Index>(i);
      const auto c = static_cast<Index>(j);
      weights[i * columns + j] = gain * (rows >= columns ? q(r, c) : q(c, r));
    }
  }
  return weights;
}

std::vector<double> UniformWeights(std::size_t count, std::size_t inputs, Rng rng) {
  const double bound = 1 / std::sqrt(static_cast<double>(inputs));
  std::vector<double> weights(count);
  for (double& weight : weights) weight = rng.Uniform(-bound, bound);
  return weights;
}

}  // namespace hone::learn
