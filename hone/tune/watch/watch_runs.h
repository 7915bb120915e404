// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/rng.h"
#include "hone/tune/campaign/suspicions.h"
#include "hone/tune/watch/watch.h"
#include "hone/tune/watch/watch_judge.h"
#include "hone/tune/watch/watch_level.h"

namespace hone::tune {

// One run of a watch. kFailed is the candidate's own doing. kLost: the service failed, or the watch
// is over; nothing is known.
struct WatchRun {
  enum class End { kMeasured, kFailed, kLost };
  End end = End::kLost;
  Sample sample;                   // If it was measured.
  std::string reason;              // If not; empty if the watch is over.
  std::vector<Evidence> evidence;  // The end of what it printed, among others; if it failed.
};

// What a comparison came to.
struct Compared {
  Ruling ruling = Ruling::kMore;  // kMore: a run was lost, and nothing is concluded.
  std::string reason;
  std::optional<WatchGain> gain;  // None before the first pair.
  std::map<std::string, double> ratios;
  std::vector<Sample> reference_runs;
  std::vector<Sample> challenger_runs;
  bool has_failed = false;         // A run failed, whose candidate the ruling tells;
  std::vector<Evidence> evidence;  // what that run left.
};

// Makes the runs of a watch, each a task of its own, and knows what the last one left in force.
class WatchRuns {
 public:
  // All outlive this.
  WatchRuns(const WatchSubject& subject, const WatchSettings& settings, const WatchHooks& hooks);

  // An Error ends the watch: the event could not be recorded, what was held was lost to somebody
  // else, or runs have been lost too often in a row.
  Result<WatchRun> Make(const Candidate& candidate, std::int64_t round);

  // Pairs in random order, until it is decided or a run is lost.
  Result<Compared> Compare(const Candidate& reference, const Candidate& challenger,
                           ChallengerJudge challenger_judge, std::int64_t round);

  // Unknown after a run that was lost.
  bool IsInForce(const Candidate& candidate) const { return in_force_ == candidate; }
  std::int64_t count() const { return position_; }
  std::int64_t lost() const { return lost_; }
  const Suspicions& suspicions() const { return suspicions_; }  // Of all runs so far.

 private:
  Task TaskFor(const Candidate& candidate) const;
  Result<WatchRun> Lose(const Error& error);
  Result<void> Record(const Task& task, const Evaluation& evaluation, std::int64_t round);

  const WatchSubject& subject_;
  const WatchSettings& settings_;
  const WatchHooks& hooks_;
  const Rng rng_;
  std::optional<Candidate> in_force_;
  Suspicions suspicions_;
  std::int64_t position_ = 0;
  std::int64_t lost_ = 0;
  int lost_in_a_row_ = 0;
};

}  // namespace hone::tune
