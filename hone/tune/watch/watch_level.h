// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/reward.h"
#include "hone/core/rng.h"

namespace hone::tune {

// The latest runs of what is in force: where it stands, and how far a single run strays from there.
class RecentRuns {
 public:
  explicit RecentRuns(RewardRule rule, std::size_t max = 30);

  // An Error, and then the run is not kept, if the rule cannot be computed from it.
  Result<void> Add(const Sample& sample);
  void Clear() { samples_.clear(); }
  std::size_t size() const { return samples_.size(); }
  const RewardRule& rule() const { return rule_; }

  // A run as it usually is: the median of every metric. There must be a run.
  Sample Typical() const;

  // The standard deviation of a single run's reward against the typical one; never 0.
  double RewardSpread() const;

  // The same for the margin to a limit of the rule.
  double MarginSpread(const Limit& limit) const;

 private:
  RewardRule rule_;
  std::size_t max_;
  std::deque<Sample> samples_;
};

// Notices that the level of a series has shifted, without knowing its level, spread or shape.
//
// While the values are exchangeable (independent, from one distribution), the smoothed rank of each
// among those before it is uniform and independent of all earlier ranks (Vovk, Gammerman and
// Shafer, 2005). A bet on high or on low ranks is then fair, and the sum of the wealths of bets
// begun at every value so far (Shiryaev and Roberts; e-detectors of Shin, Ramdas and Rinaldo,
// 2022) less the number of values is a martingale: the mean time to a false alarm is at least
// `runs_per_false_alarm`, and the chance of one within n values at most n / runs_per_false_alarm.
//
// Values that hang together with their neighbours are not exchangeable, and give alarms more often.
class ShiftDetector {
 public:
  ShiftDetector(double runs_per_false_alarm, Rng rng);

  void Add(double x);
  bool IsAlarmed() const { return is_alarmed_; }

  // Where the change most likely was, once alarmed: the level after it, less the level before.
  double Shift() const;
  std::int64_t Count() const { return std::ssize(values_); }

  void Restart();

 private:
  double RankOf(double x);

  double threshold_;
  Rng rng_;
  std::vector<double> values_;
  std::vector<double> sorted_;
  std::vector<double> wealths_;  // One a bet.
  bool is_alarmed_ = false;
};

// What is known of the incumbent from its own runs.
class IncumbentLevel {
 public:
  IncumbentLevel(const RewardRule& rule, double runs_per_false_alarm, const Rng& rng);

  // An Error, and then nothing is learnt, if the rule cannot be computed from the run.
  Result<void> Learn(const Sample& sample);

  void Restart();          // Another incumbent, or another workload.
  void RestartDetector();  // Only the level up to now is forgotten.

  const RecentRuns& recent() const { return recent_; }
  bool IsShifted() const { return detector_.IsAlarmed(); }
  double Shift() const { return detector_.Shift(); }  // In reward.

 private:
  RecentRuns recent_;
  ShiftDetector detector_;
  std::optional<Sample> anchor_;  // The detector sees each run as its reward over this one.
};

}  // namespace hone::tune
