// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/walsh.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "hone/core/check.h"

namespace hone {
namespace {

// Above this searching for them is cheaper than spelling them out.
constexpr std::size_t kMaxSpelledOut = 64;

double Average(double a, double b) { return 0.5 * a + 0.5 * b; }

// Doubles as integers that sort alike, so that a bisection ends at neighbouring doubles.
std::int64_t SortableBits(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

double FromOrder(std::int64_t order) {
  const auto bits = order >= 0 ? order : std::numeric_limits<std::int64_t>::min() - order;
  return std::bit_cast<double>(bits);
}

std::vector<double> SpellOut(std::span<const double> sorted) {
  std::vector<double> averages;
  averages.reserve(sorted.size() * (sorted.size() + 1) / 2);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = i; j < sorted.size(); ++j) {
      averages.push_back(Average(sorted[i], sorted[j]));
    }
  }
  return averages;
}

}  // namespace

WalshAverages::WalshAverages(std::span<const double> sorted)
    : sorted_(sorted), count_(std::ssize(sorted) * (std::ssize(sorted) + 1) / 2) {
  HONE_CHECK(!sorted.empty());
  if (sorted.size() <= kMaxSpelledOut) averages_ = SpellOut(sorted);
}

double WalshAverages::Kth(std::int64_t k) {
  HONE_CHECK(1 <= k && k <= count_);
  if (!averages_.empty()) {
    const auto kth = averages_.begin() + (k - 1);
    std::nth_element(averages_.begin(), kth, averages_.end());
    return *kth;
  }
  std::int64_t low = SortableBits(sorted_.front());
  std::int64_t high = SortableBits(sorted_.back());
  while (low < high) {
    const std::int64_t middle = (low & high) + ((low ^ high) >> 1);
    if (CountUpTo(FromOrder(middle)) >= k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return FromOrder(low);
}

double WalshAverages::Median() {
  const double upper = Kth(count_ / 2 + 1);
  return count_ % 2 == 1 ? upper : Average(Kth(count_ / 2), upper);
}

// For each value the partners at or after it whose average stays within the bound: as the value
// grows their end moves only down.
std::int64_t WalshAverages::CountUpTo(double bound) const {
  std::int64_t found = 0;
  std::int64_t end = std::ssize(sorted_);
  for (std::int64_t i = 0; i < end; ++i) {
    const double value = sorted_[static_cast<std::size_t>(i)];
    while (end > i && Average(value, sorted_[static_cast<std::size_t>(end - 1)]) > bound) --end;
    found += end - i;
  }
  return found;
}

}  // namespace hone
