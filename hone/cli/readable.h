// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/candidate.h"
#include "hone/core/reward.h"
#include "hone/measure/paired.h"

// Numbers and tables as people read them.
namespace hone {

// "under 0.1 s", "0.4 s", "35 s", "2 min 05 s", "1 h 05 min".
std::string ReadableDuration(std::chrono::microseconds duration);

// "+10.2 %" of 10.2; "+inf %" where there is no bound.
std::string SignedPercent(double percent);

// "p < 0.0001" or "p = 0.0312"
std::string PText(double p_value);

// Real numbers with six digits, which is what a table has room for; --json has all of them.
std::string ReadableValue(const Value& value);

// "batch=9 spin=0.742334": what the candidate changes.
std::string ReadableChange(const Candidate& baseline, const Candidate& candidate);

// Columns as a terminal counts them: code points, not bytes.
std::size_t WidthOf(std::string_view text);

// At most this many columns; a longer text ends in "…".
std::string FitInto(std::string_view text, std::size_t width);

// Rows of cells in columns two spaces apart, no trailing spaces, each line behind `indent`.
std::string TableText(const std::vector<std::vector<std::string>>& rows,
                      std::string_view indent = "  ");

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

}  // namespace hone
