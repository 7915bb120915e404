// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/evaluation.h"
#include "hone/core/metric.h"
#include "hone/core/result.h"

namespace hone {

// A metric to improve, and how much it counts beside the others.
struct Objective {
  std::string metric;
  Direction direction = Direction::kHigherIsBetter;
  double weight = 1;

  bool operator==(const Objective&) const = default;
};

// A hard limit on a metric of the candidate. A relative bound is a multiple of the baseline's
// value in the same pair: {"p99_ms", at most, 1.05, relative} allows 5 % more.
struct Limit {
  std::string metric;
  bool is_upper = true;
  double bound = 0;
  bool is_relative = false;

  bool operator==(const Limit&) const = default;
};

std::string ToText(const Limit& limit);  // "p99_ms <= 20", "p99_ms <= 1.05x"

// How an evaluation becomes a number. Declared with the campaign, stored with it, pure.
//
// gain:                      weighted mean of the objectives' log-ratios over the baseline,
//                            each turned so that more is better; 0.095 is a gain of 10 %.
// performance_and_stability: 1/2 (performance ratio - 1) + 1/2 (stability ratio - 1); the first
//                            objective is the performance, the second the stability.
struct RewardRule {
  enum class Formula { kGain, kPerformanceAndStability };
  Formula formula = Formula::kGain;
  std::vector<Objective> objectives;
  std::vector<Limit> limits;
  double failure_reward = -1;  // Of a candidate that was not accepted.

  bool operator==(const RewardRule&) const = default;
};

// The metrics of one baseline run and one candidate run that belong together.
struct SamplePair {
  Sample baseline;
  Sample candidate;
};

// The k-th baseline run with the k-th candidate run; runs without a partner are left out.
std::vector<SamplePair> PairsOf(const Evaluation& evaluation);

// The log-ratio of one objective in one pair; positive is better. An Error names a metric that is
// missing, not finite, or not above zero.
Result<double> LogRatio(const Objective& objective, const SamplePair& pair);

// The reward of one pair under the rule's formula; failures and limits are not its business.
Result<double> PairReward(const RewardRule& rule, const SamplePair& pair);

// How far the pair is inside the limit, as a fraction of the bound: negative is a violation.
Result<double> Margin(const Limit& limit, const SamplePair& pair);

}  // namespace hone
