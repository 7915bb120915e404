// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "hone/core/result.h"

namespace hone::agent {

// What a change did, as it was measured: a log-ratio over the baseline in which more is better
// (0.0953 is 10 %), with its interval. An end that the data do not bound is infinite.
struct MeasuredLogRatio {
  double log_ratio = 0;
  double low = 0;
  double high = 0;
  std::int64_t pairs = 0;

  bool operator==(const MeasuredLogRatio&) const = default;
};

// How a measured effect becomes a reward. Only what was measured does: an opinion never.
enum class PerformanceRule : std::uint8_t {
  kEstimate,    // r = log-ratio
  kLowerBound,  // r = low end of the interval: noise earns nothing, few pairs cost
  kShown,       // r = low if low > 0; high if high < 0; else 0: what is shown, either way
};
std::string_view NameOf(PerformanceRule rule);  // "estimate", "lower_bound", "shown"
Result<PerformanceRule> PerformanceRuleNamed(std::string_view name);

// The baseline is at 0. kInvalidArgument: the numbers are not finite where they must be, or the
// estimate is not inside its interval; kUnsupported: too few pairs to bound the end that the rule
// reads.
Result<double> PerformanceReward(const MeasuredLogRatio& effect, PerformanceRule rule);

// Whether the interval is above 0, or below it.
bool IsShownGain(const MeasuredLogRatio& effect);
bool IsShownLoss(const MeasuredLogRatio& effect);

}  // namespace hone::agent
