// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hone {

// The averages of all pairs of a sample, each value with itself included: n (n + 1) / 2 of them.
// They are what the signed-rank test counts. Small samples are spelled out; large ones are
// searched without, in memory O(n).
class WalshAverages {
 public:
  // `sorted` must be, and must outlive this.
  explicit WalshAverages(std::span<const double> sorted);

  std::int64_t count() const { return count_; }
  double Kth(std::int64_t k);  // The k-th smallest, from 1.
  double Median();

 private:
  std::int64_t CountUpTo(double bound) const;

  std::span<const double> sorted_;
  std::int64_t count_;
  std::vector<double> averages_;  // Empty for large samples; else in the order of the last search.
};

}  // namespace hone
