// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/twins.h"

#include <algorithm>
#include <cmath>

namespace hone::compute {
namespace {

constexpr int kFirstComparisons = 6;
constexpr std::int64_t kEvaluationsPerComparison = 8;
constexpr std::size_t kMaxComparisons = 12;
constexpr double kTwinReach = 1.96;

}  // namespace

int Twins::Due() {
  const std::int64_t number = evaluations_++;
  if (number == 0) return kFirstComparisons;
  return number % kEvaluationsPerComparison == 0 ? 1 : 0;
}

void Twins::Keep(TwinComparison comparison) {
  comparisons_.push_back(comparison);
  if (comparisons_.size() > kMaxComparisons) comparisons_.pop_front();
}

// Their true ratio is 1, so all of the square is either noise of the pairs or their difference.
double Twins::Reach() const {
  double excess = 0;
  for (const TwinComparison& one : comparisons_) {
    excess += one.log_ratio * one.log_ratio - one.variance;
  }
  if (excess <= 0) return 0;
  return kTwinReach * std::sqrt(excess / static_cast<double>(comparisons_.size()));
}

}  // namespace hone::compute
