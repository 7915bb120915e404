// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/acquisition.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

namespace hone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFarBelow = -20.0;  // Where the density underflows before its logarithm does.

double NormalDensity(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }

}  // namespace

double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double LogExpectedImprovement(double mean, double spread) {
  if (!(spread > 0)) return mean > 0 ? std::log(mean) : -kInfinity;
  const double z = mean / spread;
  if (z > kFarBelow) return std::log(spread * (NormalDensity(z) + z * NormalCdf(z)));
  return std::log(spread) - 0.5 * z * z - 0.5 * std::log(2 * std::numbers::pi) - 2 * std::log(-z);
}

double ExpectedMaximum(const Eigen::VectorXd& levels, const Eigen::VectorXd& slopes) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(levels.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return slopes(a) != slopes(b) ? slopes(a) < slopes(b) : levels(a) < levels(b);
  });
  // The upper envelope: line `on[k]` is the highest from `from[k]` on.
  std::vector<Eigen::Index> on;
  std::vector<double> from;
  for (const Eigen::Index line : order) {
    double start = -kInfinity;
    while (!on.empty()) {
      const Eigen::Index last = on.back();
      start = slopes(line) == slopes(last)
                  ? -kInfinity
                  : (levels(last) - levels(line)) / (slopes(line) - slopes(last));
      if (start > from.back()) break;
      on.pop_back();
      from.pop_back();
      start = -kInfinity;
    }
    on.push_back(line);
    from.push_back(start);
  }
  double sum = 0;
  for (std::size_t k = 0; k < on.size(); ++k) {
    const double low = from[k];
    const double high = k + 1 < on.size() ? from[k + 1] : kInfinity;
    sum += levels(on[k]) * (NormalCdf(high) - NormalCdf(low)) +
           slopes(on[k]) * (NormalDensity(low) - NormalDensity(high));
  }
  return sum;
}

}  // namespace hone
