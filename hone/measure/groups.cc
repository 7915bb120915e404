// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/groups.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "hone/measure/distributions.h"

namespace hone {

double KruskalWallisP(const std::vector<std::vector<double>>& groups) {
  std::vector<std::pair<double, std::size_t>> values;  // With the group each comes from.
  double filled = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    filled += groups[g].empty() ? 0 : 1;
    for (const double value : groups[g]) values.emplace_back(value, g);
  }
  if (filled < 2) return 1;
  std::sort(values.begin(), values.end());

  const auto count = static_cast<double>(values.size());
  std::vector<double> rank_sums(groups.size(), 0);
  double ties = 0;  // Sum of t^3 - t over runs of equal values.
  for (std::size_t first = 0; first < values.size();) {
    std::size_t last = first;
    while (last < values.size() && values[last].first == values[first].first) ++last;
    const double rank = (static_cast<double>(first) + 1 + static_cast<double>(last)) / 2;
    for (std::size_t i = first; i < last; ++i) rank_sums[values[i].second] += rank;
    const auto equal = static_cast<double>(last - first);
    ties += equal * equal * equal - equal;
    first = last;
  }
  const double correction = 1 - ties / (count * count * count - count);
  if (correction <= 0) return 1;
  double sum = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!groups[g].empty()) {
      sum += rank_sums[g] * rank_sums[g] / static_cast<double>(groups[g].size());
    }
  }
  const double h = (12 / (count * (count + 1)) * sum - 3 * (count + 1)) / correction;
  return ChiSquaredTail(std::max(0.0, h), filled - 1);
}

}  // namespace hone
