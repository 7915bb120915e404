// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "hone/core/reward.h"
#include "hone/measure/paired.h"
#include "hone/tune/campaign/campaign_spec.h"
#include "hone/tune/campaign/verdict.h"

// Numbers, rewards and verdicts as people read them.
//
// Numbers have two forms. The plain one is ASCII, for terminals and files. The typeset one is for
// pages: with a minus sign, a space before the per cent sign that does not break, and a second
// decimal for what is small; it is not escaped.
namespace hone::tune {

std::string SignedPercent(double percent);  // "+10.2 %"; "0.0 %" has no sign; "+inf %": no bound
std::string PText(double p_value);          // "p < 0.0001", "p = 0.0312"
std::string DurationText(std::chrono::microseconds duration);        // "under 0.1 s", "2 min 05 s"
std::string CountText(std::int64_t count, const std::string& noun);  // "1 run", "12 runs"

std::string TypesetPercent(double percent);            // "10.2 %", "0.31 %"
std::string TypesetSignedPercent(double percent);      // "+10.2 %", "−0.31 %"
std::string TypesetInterval(double low, double high);  // "+8.1 % to +12.4 %", of per cents
std::string TypesetP(double p_value);                  // "p < 0.0001", "p = 0.012"
std::string TypesetNumber(double value);               // "1012", "0.9876", "3.1e+09"
std::string TypesetDuration(std::chrono::microseconds duration);  // "1.5 ms", "4 min 10 s"

// The gain in per cent of the baseline, whichever formula made the reward. More is better, whatever
// the direction of the metric; NaN and infinities stay.
double GainPercent(const RewardRule& rule, double reward);

// How the rewards of a rule are said. With one objective it is the change of the metric itself, so
// its sign is turned where lower is better: a lower latency is "-9.1 % latency_ms". With several it
// is the weighted mean gain.
class RewardWords {
 public:
  explicit RewardWords(const RewardRule& rule);

  std::string MetricChange(double reward) const;            // "+10.2 %"
  std::string MetricRange(const Interval& interval) const;  // "[+8.1 %, +12.4 %]"
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
