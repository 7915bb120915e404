// SPDX-License-Identifier: Apache-2.0
#pragma once

// The distributions that the tests need.
namespace hone {

double NormalCdf(double x);
double NormalQuantile(double probability);  // In (0, 1).
double StudentCdf(double t, double degrees);
double StudentQuantile(double probability, double degrees);
double NoncentralStudentCdf(double t, double degrees, double noncentrality);

}  // namespace hone
