// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "hone/core/result.h"
#include "hone/tune/proposers/model/wished_shape.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::tune {

// What the model of the data thinks of a candidate before it is measured.
struct Opinion {
  double mean = 0;  // Of its reward, or of what a front is looked for by.
  double deviation = 0;
  double chance = 1;  // That it is accepted and keeps the limits.
  double log_promise =
      0;            // Of the knowledge gradient, its cost divided off; the higher the better.
  double cost = 0;  // What its change costs beyond the runs, in trials.
};

// A proposer that also judges what somebody else would try.
class JudgingProposer : public Proposer {
 public:
  // Where a front is wanted, by the trade-off that the last suggestion was made for, once the
  // design is over.
  virtual Opinion Judge(const Candidate& candidate) const = 0;

  // What one more run is expected to scatter by.
  virtual double TypicalNoise() const = 0;

  // Added to the logarithm of what a candidate promises: what somebody else believes of it.
  using Preference = std::function<double(const Assignment&)>;

  // What Ask would give, without counting on it: Ask is Suggest without a preference, then
  // NoteAsked of what it gave.
  struct Suggestion {
    Candidate candidate;
    std::vector<double> unit = {};  // Of the design: where in the unit cube it lies, also with the
                                    // parameters that are inactive in it. Else empty.

    // It fills the space evenly, and follows from no belief.
    bool IsDesign() const { return !unit.empty(); }
  };
  virtual Suggestion Suggest(const Preference& preference) = 0;

  // Whoever wishes for such values is trusted so far, from 0 to 1: what is asked, judged and
  // recommended leans that way until the next call, as far as measurements bear it out.
  // ChanceBetter does not.
  virtual void Lean(const WishedShape& wishes, double trust) = 0;

  // Of nobody yet, for Lean; this outlives them.
  virtual WishedShape NoWishes() const = 0;

  // This candidate is going to be measured, whoever proposed it.
  virtual void NoteAsked(const Candidate& candidate) = 0;

  virtual bool WasAsked(const Candidate& candidate) const = 0;

  // That the reward of one is higher than that of the other, by all that was told; whether they run
  // is another matter.
  virtual double ChanceBetter(const Candidate& one, const Candidate& other) const = 0;
};

// Bayesian optimisation: a Gaussian process that knows each reward's standard error and that the
// baseline is at 0, a second one that learns where candidates fail, and a search for the candidate
// that promises most. docs/algorithms/bayes.md says why it is as it is, with numbers.
Result<std::unique_ptr<Proposer>> MakeBayes(const ProposerSettings& settings);
Result<std::unique_ptr<JudgingProposer>> MakeJudgingBayes(const ProposerSettings& settings);

// So many candidates fill the space evenly, before a model points the way, unless fewer are
// planned: enough to see every coordinate move.
std::int64_t DesignTrials(const Space& space);

ProposerEntry BayesEntry();

}  // namespace hone::tune
