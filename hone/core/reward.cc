// SPDX-License-Identifier: Apache-2.0
#include "hone/core/reward.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

// A stability of 0 at the baseline would make every ratio infinite.
constexpr double kMinStability = 0.01;

Result<double> ValueOf(const Sample& sample, const std::string& metric) {
  const auto found = sample.metrics.find(metric);
  if (found == sample.metrics.end()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("metric {}: the run did not report it", metric)};
  }
  if (!std::isfinite(found->second.value)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("metric {}: {} is not a finite number", metric, found->second.value)};
  }
  return found->second.value;
}

struct ValuePair {
  double baseline;
  double candidate;
};

Result<ValuePair> ValuesOf(const SamplePair& pair, const std::string& metric) {
  const auto baseline = ValueOf(pair.baseline, metric);
  if (!baseline) return baseline.error();
  const auto candidate = ValueOf(pair.candidate, metric);
  if (!candidate) return candidate.error();
  return ValuePair{*baseline, *candidate};
}

Result<double> StabilityTerm(const Objective& objective, const SamplePair& pair) {
  const auto values = ValuesOf(pair, objective.metric);
  if (!values) return values.error();
  return (values->candidate - values->baseline) / std::max(values->baseline, kMinStability);
}

Result<double> PerformanceAndStability(const RewardRule& rule, const SamplePair& pair) {
  if (rule.objectives.size() != 2) {
    return Error{Errc::kInvalidArgument,
                 "reward performance_and_stability: it needs two objectives, the performance and "
                 "the stability"};
  }
  const auto performance = LogRatio(rule.objectives[0], pair);
  if (!performance) return performance.error();
  const auto stability = StabilityTerm(rule.objectives[1], pair);
  if (!stability) return stability.error();
  return 0.5 * std::expm1(*performance) + 0.5 * *stability;
}

Result<double> Gain(const RewardRule& rule, const SamplePair& pair) {
  double sum = 0;
  double weights = 0;
  for (const Objective& objective : rule.objectives) {
    const auto ratio = LogRatio(objective, pair);
    if (!ratio) return ratio.error();
    sum += objective.weight * *ratio;
    weights += objective.weight;
  }
  if (weights <= 0) {
    return Error{Errc::kInvalidArgument,
                 "reward gain: it needs an objective with a weight above 0"};
  }
  return sum / weights;
}

}  // namespace

std::string ToText(const Limit& limit) {
  return fmt::format("{} {} {}{}", limit.metric, limit.is_upper ? "<=" : ">=", limit.bound,
                     limit.is_relative ? "x" : "");
}

std::vector<SamplePair> PairsOf(const Evaluation& evaluation) {
  std::vector<const Sample*> baseline;
  std::vector<const Sample*> candidate;
  for (const Sample& sample : evaluation.samples) {
    (sample.arm == Arm::kBaseline ? baseline : candidate).push_back(&sample);
  }
  std::vector<SamplePair> pairs;
  for (std::size_t k = 0; k < std::min(baseline.size(), candidate.size()); ++k) {
    pairs.push_back({*baseline[k], *candidate[k]});
  }
  return pairs;
}

Result<double> LogRatio(const Objective& objective, const SamplePair& pair) {
  const auto values = ValuesOf(pair, objective.metric);
  if (!values) return values.error();
  if (values->baseline <= 0 || values->candidate <= 0) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("metric {}: a ratio needs values above 0, found {} and {}",
                             objective.metric, values->baseline, values->candidate)};
  }
  const double ratio = std::log(values->candidate / values->baseline);
  return objective.direction == Direction::kHigherIsBetter ? ratio : -ratio;
}

Result<double> PairReward(const RewardRule& rule, const SamplePair& pair) {
  switch (rule.formula) {
    case RewardRule::Formula::kGain:
      return Gain(rule, pair);
    case RewardRule::Formula::kPerformanceAndStability:
      return PerformanceAndStability(rule, pair);
  }
  return Error{Errc::kInvalidArgument, "reward: no such formula"};
}

Result<double> Margin(const Limit& limit, const SamplePair& pair) {
  const auto values = ValuesOf(pair, limit.metric);
  if (!values) return values.error();
  const double bound = limit.is_relative ? limit.bound * values->baseline : limit.bound;
  const double room = limit.is_upper ? bound - values->candidate : values->candidate - bound;
  return bound == 0 ? room : room / std::abs(bound);
}

}  // namespace hone
