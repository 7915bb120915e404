// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/multiple.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "hone/core/check.h"

namespace hone {
namespace {

// Indices of the p-values, the smallest first.
std::vector<std::size_t> AscendingOrder(std::span<const double> p_values) {
  HONE_CHECK(
      std::all_of(p_values.begin(), p_values.end(), [](double p) { return 0 <= p && p <= 1; }));
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  return order;
}

}  // namespace

std::vector<double> AdjustByHolm(std::span<const double> p_values) {
  const std::vector<std::size_t> order = AscendingOrder(p_values);
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto still = static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, still * p_values[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

}  // namespace hone
