// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The distributions that the tests need.
namespace hone {

// Standard errors on each side of a 95 % interval: the normal quantile of 0.975.
inline constexpr double kErrorsOf95 = 1.959963984540054;

double NormalCdf(double x);
double NormalQuantile(double probability);  // In (0, 1).
double StudentQuantile(double probability, double degrees);
double NoncentralStudentCdf(double t, double degrees, double noncentrality);

double ChiSquaredTail(double x, double degrees);  // The chance of more than x.

// The chance of at most `heads` heads in so many tosses of a fair coin; heads >= 0.
double FairCoinCdf(std::int64_t heads, std::int64_t tosses);

}  // namespace hone
