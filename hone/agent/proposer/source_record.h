// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "hone/core/candidate.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::agent {

// How much a model's candidates have been worth so far, by what was measured: a bandit with two
// arms, the model and the engine that works without it. What it says depends only on the trials and
// on which of them were the model's.
class SourceRecord {
 public:
  void NoteModels(const Candidate& candidate);  // Before it is told.

  // A number that was told before replaces its trial.
  void Tell(const tune::Trial& trial);

  // The chance that the model's next candidate is worth more than what the other arm gives, as
  // the mean of a Beta distribution; 1/2 where nothing is known.
  double Trust() const;

  std::int64_t measured() const;  // Of the model's.

 private:
  struct Told {
    double reward = 0;
    double standard_error = 0;
    bool is_feasible = false;
    bool is_models = false;
  };
  double ReferenceFor(std::int64_t number) const;

  std::set<std::string> models_;  // Candidates as text.
  std::map<std::int64_t, Told> told_;
};

}  // namespace hone::agent
