// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/twins.h"

#include <algorithm>
#include <cmath>

#include "hone/measure/distributions.h"

namespace hone::compute {
namespace {

constexpr int kFirstComparisons = 12;
constexpr int kFirstDearComparisons = 6;
constexpr std::int64_t kEvaluationsPerComparison = 8;
constexpr std::int64_t kFirstEvaluationsPerComparison = 3;  // Until there are enough.
constexpr std::size_t kMaxComparisons = 24;  // The farthest of so many is exceeded by one in 25.

}  // namespace

int Twins::Due(int max) {
  const std::int64_t number = evaluations_++;
  const bool are_cheap = max > 1;
  const int missing = (are_cheap ? kFirstComparisons : kFirstDearComparisons) -
                      static_cast<int>(log_ratios_.size());
  if (missing > 0) return std::min(missing, max);
  const bool wants_more = are_cheap && log_ratios_.size() < kMaxComparisons;
  const auto every = wants_more ? kFirstEvaluationsPerComparison : kEvaluationsPerComparison;
  return number % every == 0 ? 1 : 0;
}

void Twins::Keep(double log_ratio) {
  log_ratios_.push_back(log_ratio);
  if (log_ratios_.size() > kMaxComparisons) log_ratios_.pop_front();
}

// Their true ratio is 1, so that is what the squares are taken from. What a few comparisons say is
// uncertain, so it reaches further than a known spread would. Of processes that come in two kinds,
// most pairs are equal and some far apart: then the squares say too little, and it reaches as far
// as the farthest of them.
double Twins::Reach() const {
  if (log_ratios_.empty()) return 0;
  double squares = 0;
  double farthest = 0;
  for (const double log_ratio : log_ratios_) {
    squares += log_ratio * log_ratio;
    farthest = std::max(farthest, std::abs(log_ratio));
  }
  const auto count = static_cast<double>(log_ratios_.size());
  return std::max(farthest, StudentQuantile(0.975, count) * std::sqrt(squares / count));
}

}  // namespace hone::compute
