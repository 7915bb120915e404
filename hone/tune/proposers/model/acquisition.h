// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hone::tune {

// log E[max(0, Z)] for Z ~ N(mean, spread²): the expected improvement, in a form that still tells
// two hopeless points apart (Ament et al., "Unexpected Improvements to Expected Improvement",
// NeurIPS 2023).
double LogExpectedImprovement(double mean, double spread);

}  // namespace hone::tune
