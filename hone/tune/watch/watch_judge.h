// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/evaluation.h"
#include "hone/core/reward.h"
#include "hone/measure/sequential.h"
#include "hone/tune/watch/watch_level.h"

namespace hone::tune {

struct JudgeSettings {
  double alpha = 0.05;     // The chance of ruling better what is not.
  double min_gain = 0.01;  // In reward: a smaller gain is of no interest.
  double max_loss = 0.1;   // In reward: a single run that loses more ends the comparison.
  std::int64_t max_pairs = 40;
};

enum class Ruling {
  kMore,             // Not decided yet.
  kBetter,           // Surely better, by the least gain as far as one can tell, within the limits.
  kNotBetter,        // Surely or very likely not by the least gain.
  kUndecided,        // The pairs are used up.
  kHarm,             // A limit broken, a run that failed or lost too much, or worse.
  kReferenceBroken,  // What it was compared with broke a limit or failed.
};
std::string_view NameOf(Ruling ruling);

// What is known of a challenger over a reference: a robust centre, and a confidence sequence's
// interval, which holds whenever it is looked at.
struct WatchGain {
  double effect = 0;  // In reward: 0.095 is a gain of 10 %.
  Interval interval;
  std::int64_t pairs = 0;

  bool operator==(const WatchGain&) const = default;
};

// Judges a challenger against the reference, run by run, in pairs whose inner order must be random.
// The first harm is ruled in the very run that shows it.
//
// Better: the evidence of a ConfidenceSequence that the centre of the pairs' rewards lies above 0
// reaches 1 / alpha, and the Hodges-Lehmann estimate reaches the least gain. So a challenger that
// is not better is ruled better with a chance of at most alpha, however often one looks. A limit
// relative to the reference must be kept with the same evidence. Worse, and not better, are ruled
// on a tenth of the odds: there a mistake costs a gain, not honesty.
class ChallengerJudge {
 public:
  // `recent` are runs of what is in force, from which it is known how far a single run strays.
  ChallengerJudge(RewardRule rule, JudgeSettings settings, const RecentRuns& recent);

  Ruling AddReference(const Sample& sample);
  Ruling AddChallenger(const Sample& sample);

  const std::string& reason() const { return reason_; }  // One clause for people.
  WatchGain Gain() const;                                // There must be a pair.
  std::int64_t Pairs() const { return rewards_.Count(); }

  // The median ratio of challenger to reference, of the metrics with a relative limit.
  std::map<std::string, double> Ratios() const;

 private:
  Ruling Rule(Ruling ruling, std::string reason);
  // The latest runs of the reference, which follow a workload that wanders; before there is one,
  // a typical run of what is in force. So harm is seen before a partner was run.
  Ruling JudgeAlone(const Sample& sample);
  Ruling JudgePair(const SamplePair& pair);
  Ruling JudgeRewards();
  bool IsDull() const;

  RewardRule rule_;
  JudgeSettings settings_;
  Sample typical_;
  double reward_spread_;
  std::vector<double> margin_spreads_;  // By limit.

  RecentRuns latest_;  // Of the reference.
  std::optional<Sample> reference_;
  std::optional<Sample> challenger_;
  ConfidenceSequence rewards_;
  std::vector<double> values_;               // Of the rewards.
  std::vector<ConfidenceSequence> margins_;  // By limit.
  std::map<std::string, std::vector<double>> ratios_;
  std::string reason_;
};

// The absolute limit that the sample breaks, for people; empty if it keeps all.
std::string BrokenLimit(const RewardRule& rule, const Sample& sample);

}  // namespace hone::tune
