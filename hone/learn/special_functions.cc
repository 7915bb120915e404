// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/special_functions.h"

#include <math.h>  // NOLINT(modernize-deprecated-headers): lgamma_r is not in <cmath>.

#include <cmath>

namespace hone::learn {
namespace {

constexpr double kLargeEnough = 12;  // From here on the asymptotic series are exact.

}  // namespace

double LogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// psi(x) = psi(x + 1) - 1/x, and ln x - 1/2x - sum of B_2k / (2k x^2k) where x is large
// (Abramowitz and Stegun, 6.3.5 and 6.3.18).
double Digamma(double x) {
  double below = 0;
  for (; x < kLargeEnough; x += 1) below -= 1 / x;
  const double y = 1 / (x * x);
  const double series =
      y *
      (1.0 / 12 -
       y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * 691.0 / 32760)))));
  return below + std::log(x) - 0.5 / x - series;
}

// psi'(x) = psi'(x + 1) + 1/x², and 1/x + 1/2x² + sum of B_2k / x^(2k+1) where x is large (6.4.12).
double Trigamma(double x) {
  double below = 0;
  for (; x < kLargeEnough; x += 1) below += 1 / (x * x);
  const double y = 1 / (x * x);
  const double series =
      y * (1.0 / 6 -
           y * (1.0 / 30 - y * (1.0 / 42 - y * (1.0 / 30 - y * (5.0 / 66 - y * 691.0 / 2730)))));
  return below + (1 + 0.5 / x + series) / x;
}

double Softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

double Sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return (x >= 0 ? 1 : e) / (1 + e);
}

}  // namespace hone::learn
