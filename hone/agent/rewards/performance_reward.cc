// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/performance_reward.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hone::agent {
namespace {

constexpr std::array<std::string_view, 3> kPerformanceRules = {"estimate", "lower_bound", "shown"};

Error Unbounded(const MeasuredLogRatio& effect) {
  return {Errc::kUnsupported,
          fmt::format("effect of {:+.4f}: {} pairs do not bound it; measure more", effect.log_ratio,
                      effect.pairs)};
}

}  // namespace

std::string_view NameOf(PerformanceRule rule) {
  return kPerformanceRules.at(static_cast<std::size_t>(rule));
}

Result<PerformanceRule> PerformanceRuleNamed(std::string_view name) {
  const auto found = std::find(kPerformanceRules.begin(), kPerformanceRules.end(), name);
  if (found != kPerformanceRules.end()) {
    return static_cast<PerformanceRule>(found - kPerformanceRules.begin());
  }
  return Error{Errc::kInvalidArgument,
               fmt::format("\"{:.40}\": expected {}", name, fmt::join(kPerformanceRules, ", "))};
}

Result<double> PerformanceReward(const MeasuredLogRatio& effect, PerformanceRule rule) {
  const bool is_sound = std::isfinite(effect.log_ratio) && effect.low <= effect.log_ratio &&
                        effect.log_ratio <= effect.high;
  if (!is_sound) {
    return Error{Errc::kInvalidArgument, fmt::format("effect {} in [{}, {}] was not measured",
                                                     effect.log_ratio, effect.low, effect.high)};
  }
  switch (rule) {
    case PerformanceRule::kEstimate:
      return effect.log_ratio;
    case PerformanceRule::kLowerBound:
      if (!std::isfinite(effect.low)) return Unbounded(effect);
      return effect.low;
    case PerformanceRule::kShown:
      break;
  }
  if (!std::isfinite(effect.low) || !std::isfinite(effect.high)) return Unbounded(effect);
  if (IsShownGain(effect)) return effect.low;
  return IsShownLoss(effect) ? effect.high : 0.0;
}

bool IsShownGain(const MeasuredLogRatio& effect) {
  return std::isfinite(effect.low) && effect.low > 0;
}

bool IsShownLoss(const MeasuredLogRatio& effect) {
  return std::isfinite(effect.high) && effect.high < 0;
}

}  // namespace hone::agent
