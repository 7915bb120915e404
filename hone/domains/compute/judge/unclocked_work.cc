// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/unclocked_work.h"

#include <algorithm>
#include <cstddef>

#include "hone/measure/statistics.h"

namespace hone::compute {
namespace {

constexpr std::size_t kMinSeen = 5;
constexpr double kMostOfThem = 0.9;
constexpr double kTimesFarther = 2;

}  // namespace

void UnclockedLimit::See(const UnclockedWork& reference) {
  armings_.push_back(reference.arming);
  const double middle = Median(armings_);
  arming_ = middle + kTimesFarther * (Quantile(armings_, kMostOfThem) - middle);
}

double UnclockedLimit::ChargeFor(const UnclockedWork& work) const {
  const double arming = armings_.size() < kMinSeen ? 0 : std::max(0.0, work.arming - arming_);
  return arming + work.rehearsal;
}

}  // namespace hone::compute
