// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace hone {

// log E[max(0, Z)] for Z ~ N(mean, spread²): the expected improvement, in a form that still tells
// two hopeless points apart (Ament et al., "Unexpected Improvements to Expected Improvement",
// NeurIPS 2023).
double LogExpectedImprovement(double mean, double spread);

// E[max_i (level_i + slope_i Z)] for Z ~ N(0, 1), exactly (Frazier, Powell, Dayanik, "The
// Knowledge-Gradient Policy for Correlated Normal Beliefs", INFORMS 2009).
double ExpectedMaximum(const Eigen::VectorXd& levels, const Eigen::VectorXd& slopes);

double NormalCdf(double z);

}  // namespace hone
