// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/reward.h"
#include "hone/measure/paired.h"
#include "hone/tune/campaign/campaign_spec.h"
#include "hone/tune/campaign/verdict.h"

// Rewards and verdicts as people say them.
namespace hone::tune {

// "+10.2 %" of 10.2; "+inf %" where there is no bound.
std::string SignedPercent(double percent);

// "p < 0.0001" or "p = 0.0312"
std::string PText(double p_value);

// How the rewards of a rule are said. With one objective it is the change of the metric itself, so
// a lower latency is "-9.1 % latency_ms"; with several it is the weighted mean gain.
class RewardWords {
 public:
  explicit RewardWords(const RewardRule& rule);

  std::string Change(double reward) const;            // "+10.2 %"
  std::string Range(const Interval& interval) const;  // "[+8.1 %, +12.4 %]"
  const std::string& subject() const { return subject_; }

 private:
  double Percent(double reward) const;

  bool is_log_ = true;
  bool is_turned_ = false;  // The metric falls when the reward rises.
  std::string subject_;
};

// The same for one objective of several.
RewardWords WordsFor(const Objective& objective);

// The verdict in one line: "Gain: +10.2 % throughput [95 %: +8.1 %, +12.4 %], p < 0.0001, n = 24
// pairs".
std::string Headline(const CampaignSpec& spec, const Verdict& verdict);

}  // namespace hone::tune
