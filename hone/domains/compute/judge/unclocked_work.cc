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
constexpr double kTimesCall = 2;

double LimitFrom(const std::vector<double>& values) {
  const double middle = Median(values);
  return middle + kTimesFarther * (Quantile(values, kMostOfThem) - middle);
}

}  // namespace

void UnclockedLimit::See(const UnclockedWork& reference) {
  armings_.push_back(reference.arming);
  rehearsals_.push_back(reference.rehearsal);
  arming_ = LimitFrom(armings_);
  rehearsal_ = LimitFrom(rehearsals_);
}

double UnclockedLimit::ChargeFor(const UnclockedWork& work, double time) const {
  if (armings_.size() < kMinSeen) return 0;
  return std::max(0.0, work.arming - arming_) +
         std::max(0.0, work.rehearsal - std::max(rehearsal_, kTimesCall * time));
}

}  // namespace hone::compute
