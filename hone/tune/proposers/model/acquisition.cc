// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/acquisition.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "hone/measure/distributions.h"

namespace hone::tune {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kFarBelow = -20.0;  // Where the density underflows before its logarithm does.

double NormalDensity(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }

}  // namespace

double LogExpectedImprovement(double mean, double spread) {
  if (!(spread > 0)) return mean > 0 ? std::log(mean) : -kUnbounded;
  const double z = mean / spread;
  if (z > kFarBelow) return std::log(spread * (NormalDensity(z) + z * NormalCdf(z)));
  return std::log(spread) - 0.5 * z * z - 0.5 * std::log(2 * std::numbers::pi) - 2 * std::log(-z);
}

}  // namespace hone::tune
