// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/unclocked_work.h"

#include <algorithm>
#include <cstddef>

#include "hone/measure/statistics.h"

namespace hone::compute {
namespace {

constexpr std::size_t kMinSeen = 5;
constexpr double kHighQuantile = 0.9;
constexpr double kTimesFarther = 2;

}  // namespace

void UnclockedLimit::See(double reference_ns) {
  seen_.push_back(reference_ns);
  const double middle = Median(seen_);
  limit_ = middle + kTimesFarther * (Quantile(seen_, kHighQuantile) - middle);
}

double UnclockedLimit::ChargeFor(double ns) const {
  return seen_.size() < kMinSeen ? 0 : std::max(0.0, ns - limit_);
}

}  // namespace hone::compute
