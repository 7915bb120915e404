// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/core/space.h"
#include "hone/tune/proposers/proposer.h"

// The questions of the exam that every proposer passes; proposer_contract.h asks them all. Each
// gives the faults it found, one sentence each, so that a test can also show that a broken proposer
// is caught.
namespace hone::tune {

using Faults = std::vector<std::string>;

// A space with parameters of every kind, some of them conditional or with special values, and
// constraints that its defaults satisfy.
Space RandomSpace(Rng rng);

// Every candidate is valid, whatever the space and however the trials end.
Faults ExamineValidity(const ProposerEntry& entry);

// Equal calls get equal answers, and asking for a recommendation changes no later answer.
Faults ExamineRepeatability(const ProposerEntry& entry);

// Another seed asks for other candidates.
Faults ExamineSeeds(const ProposerEntry& entry);

// Candidates that were asked for together differ.
Faults ExaminePendingAsks(const ProposerEntry& entry);

// What failed or broke a limit, in any of its trials, is not recommended, and where nothing was
// accepted nothing is.
Faults ExamineFailures(const ProposerEntry& entry);

// A trial that is told again under its number counts once, in its last form.
Faults ExamineReplacement(const ProposerEntry& entry);

// Where everything is clearly worse than the baseline, nothing is recommended.
Faults ExamineModesty(const ProposerEntry& entry);

// Recommendations are finite, different, valid, at most as many as wanted, and there where there
// is a clear gain; without noise, with much, with one parameter and with forty.
Faults ExamineRecommendations(const ProposerEntry& entry);

// Where the space has few candidates, asks repeat, but they do come.
Faults ExamineTinySpace(const ProposerEntry& entry);

// A trial that no campaign would tell is refused, and the proposer goes on.
Faults ExamineBadTrials(const ProposerEntry& entry);

// With several objectives a front is recommended of which no member is clearly beaten by another.
Faults ExamineFront(const ProposerEntry& entry);

}  // namespace hone::tune
