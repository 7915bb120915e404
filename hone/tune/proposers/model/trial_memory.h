// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hone/core/candidate.h"
#include "hone/core/result.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::tune {

// Whether the candidate may be recommended, as far as this trial tells.
inline bool IsFeasible(const Trial& trial) {
  return trial.outcome == Outcome::kAccepted && trial.is_within_limits;
}

// What a proposer has asked and been told.
class TrialMemory {
 public:
  void NoteAsked(const Candidate& candidate);

  // Refuses what no campaign measures: an accepted trial whose estimates are not finite, or a
  // candidate that is not valid in the space. A known number replaces its trial.
  Result<void> Tell(const Space& space, const Trial& trial);

  bool WasAsked(const Candidate& candidate) const;
  bool IsPending(const Candidate& candidate) const;

  const std::map<std::int64_t, Trial>& trials() const { return trials_; }  // By number.
  const std::deque<Candidate>& pending() const { return pending_; }  // Not told yet; oldest first.
  std::size_t asks() const { return asks_; }

  // Distinct candidates that may be recommended, by the number of their first trial: each was
  // accepted and kept its limits in every trial of it. Its rewards are pooled by precision.
  std::vector<Trial> Feasible() const;

 private:
  std::map<std::int64_t, Trial> trials_;
  std::deque<Candidate> pending_;
  std::set<std::string> asked_;  // As text.
  std::size_t asks_ = 0;
};

}  // namespace hone::tune
