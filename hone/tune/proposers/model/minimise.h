// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <functional>

namespace hone::tune {

struct Sloped {
  double value = 0;
  Eigen::VectorXd gradient;
};

// A local minimum of a smooth function, from `start`, with at most `max_evaluations` of it: BFGS
// with a backtracking line search (Nocedal and Wright, Numerical Optimization, 2006, chapters 3
// and 6). A value that is not finite counts as too far. Never returns a point worse than `start`.
Eigen::VectorXd Minimise(const std::function<Sloped(const Eigen::VectorXd&)>& function,
                         const Eigen::VectorXd& start, int max_evaluations);

}  // namespace hone::tune
