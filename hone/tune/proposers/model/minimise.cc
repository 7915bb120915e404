// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/minimise.h"

#include <algorithm>
#include <cmath>

namespace hone::tune {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kSufficientDecrease = 1e-4;
constexpr double kShrink = 0.3;
constexpr double kLongestStep = 1.0;  // In any coordinate.
constexpr double kSmallGradient = 1e-3;
constexpr double kSmallDecrease = 1e-5;

// The inverse Hessian after a step `s` along which the gradient changed by `y`.
MatrixXd Updated(const MatrixXd& inverse, const VectorXd& s, const VectorXd& y) {
  const double curvature = s.dot(y);
  if (curvature <= 1e-10 * s.norm() * y.norm()) return inverse;
  const VectorXd turned = inverse * y;
  MatrixXd updated = inverse;
  updated.noalias() += ((1 + y.dot(turned) / curvature) / curvature) * (s * s.transpose());
  updated.noalias() -= (turned * s.transpose() + s * turned.transpose()) / curvature;
  return updated;
}

VectorXd Shortened(const VectorXd& step) {
  const double longest = step.lpNorm<Eigen::Infinity>();
  return longest > kLongestStep ? VectorXd(step * (kLongestStep / longest)) : step;
}

}  // namespace

VectorXd Minimise(const std::function<Sloped(const VectorXd&)>& function, const VectorXd& start,
                  int max_evaluations) {
  VectorXd at = start;
  Sloped here = function(at);
  if (!std::isfinite(here.value)) return start;
  MatrixXd inverse = MatrixXd::Identity(at.size(), at.size());
  inverse /= std::max(1.0, here.gradient.norm());

  for (int used = 1; used < max_evaluations;) {
    if (here.gradient.lpNorm<Eigen::Infinity>() < kSmallGradient) break;
    VectorXd step = Shortened(-(inverse * here.gradient));
    const double slope = step.dot(here.gradient);
    if (slope >= 0) break;

    Sloped there;
    double share = 1;
    bool is_lower = false;
    for (; used < max_evaluations && !is_lower; ++used) {
      there = function(at + share * step);
      is_lower = std::isfinite(there.value) &&
                 there.value <= here.value + kSufficientDecrease * share * slope;
      if (!is_lower) share *= kShrink;
    }
    if (!is_lower) break;
    step *= share;
    inverse = Updated(inverse, step, there.gradient - here.gradient);
    const double decrease = here.value - there.value;
    at += step;
    here = std::move(there);
    if (decrease < kSmallDecrease) break;
  }
  return at;
}

}  // namespace hone::tune
