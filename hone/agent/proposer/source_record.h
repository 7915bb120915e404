// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "hone/core/candidate.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::agent {

// How much a model's candidates have been worth so far. Each is compared with itself without what
// the model set: the rest of it is chance, or somebody else's. What it says depends only on the
// trials and on which of them were the model's.
class SourceRecord {
 public:
  // `unmoved` is `asked` with the baseline's values where the model set others; where the two are
  // equal, the trial says nothing of the model. Before it is told.
  void NoteModels(const Candidate& asked, const Candidate& unmoved);

  // A later trial of the same candidate replaces the earlier one.
  void Tell(const tune::Trial& trial);

  // That one candidate is better than another, by all that was measured until now.
  using Chance = std::function<double(const Candidate& one, const Candidate& other)>;

  // The chance that what the model sets is for the better, as the mean of a Beta distribution; 1/2
  // where nothing is known. A candidate that failed was for the worse.
  double Trust(const Chance& chance) const;

 private:
  struct Own {
    Candidate asked;
    Candidate unmoved;
    bool is_told = false;
    bool is_feasible = false;
  };
  std::map<std::string, Own> own_;  // By the candidate as text.
};

// What trust is worth. The model's share of the trials that it may have at most, from 0 to 1: all
// of them unless it does harm rather than good, and then soon none.
double ShareAt(double trust);

// How far its wishes draw the search, from 0 to 1: not before it has shown that it is worth more
// than a guess.
double DrawAt(double trust);

}  // namespace hone::agent
