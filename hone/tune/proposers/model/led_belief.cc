// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/led_belief.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace hone::tune {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kExpected = 1;       // Of a height, in deviations of the rewards over √groups.
constexpr double kSharedDoubt = 0.5;  // Variance of a height in units of what is expected of it:
constexpr double kOwnDoubt = 0.5;     // what all share, and what each has alone.
constexpr double kMaxHeight = 3;      // In the same units.

double DeviationOf(const VectorXd& values) {
  return std::sqrt((values.array() - values.mean()).square().mean());
}

// In units of what is expected of each.
VectorXd LikelyHeights(const GaussianProcess::ShapeEvidence& evidence) {
  const Index count = evidence.pull.size();
  const MatrixXd doubt =
      MatrixXd::Constant(count, count, kSharedDoubt) + kOwnDoubt * MatrixXd::Identity(count, count);
  const MatrixXd precision = doubt.inverse();
  const VectorXd heights =
      (precision + evidence.precision).ldlt().solve(precision.rowwise().sum() + evidence.pull);
  return heights.cwiseMax(0.0).cwiseMin(kMaxHeight);
}

}  // namespace

GaussianProcess LedBy(const WishedShape& wishes, double trust, const GaussianProcess& process,
                      double min_spread) {
  GaussianProcess led = process;
  if (wishes.IsFlat() || !(trust > 0)) return led;
  const Observations& seen = process.observations();
  const double unit = kExpected * trust * std::max(DeviationOf(seen.values), min_spread) /
                      std::sqrt(static_cast<double>(process.groups()));
  if (!(unit > 0)) return led;
  const VectorXd heights = unit * LikelyHeights(process.EvidenceOf(unit * wishes.At(seen.points)));
  led.SetPriorMean([wishes, heights](const MatrixXd& points) -> VectorXd {
    return wishes.At(points).transpose() * heights;
  });
  return led;
}

}  // namespace hone::tune
