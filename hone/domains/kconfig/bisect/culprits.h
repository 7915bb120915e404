// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "hone/core/result.h"

namespace hone::kernels {

// Changes by their number, ascending.
using ChangeSet = std::vector<std::size_t>;

enum class Judgement : std::uint8_t {
  kGood,
  kBad,
  kSkipped,  // It cannot be, or is broken in another way: it says nothing.
};

struct ChangesTried {
  Judgement judgement = Judgement::kSkipped;
  ChangeSet made;  // What is in force then: what was asked for, and what came with it.
};

// Tries some of the changes on top of what is good. An Error ends the search.
using TryChanges = std::function<Result<ChangesTried>(const ChangeSet& changes)>;

struct Culprits {
  // Bad together, and good without any one of the groups. A group is one change, or some that could
  // not be told apart because everything between them was skipped.
  std::vector<ChangeSet> groups;
  // False if a check that nothing can be left out was skipped: a smaller set may be bad too.
  bool is_minimal = true;
};

// Finds a smallest set of changes that breaks it, in the sense of delta debugging (Zeller and
// Hildebrandt, "Simplifying and isolating failure-inducing input", 2002): none can be left out.
// None of the changes is known to be good, and all of them to be bad.
//
// With culprits C found so far, halving finds the shortest beginning P of the rest with C + P bad;
// its last change is a culprit too, and what comes after it is not needed. That is log2(n) steps a
// culprit, whatever it depends on; what was found is then tried without each of its parts, and
// with each consequence in place of what it followed from.
Result<Culprits> FindCulprits(std::size_t count, const TryChanges& try_changes);

// How many steps one culprit takes at most if nothing is skipped.
std::size_t MaxStepsForOne(std::size_t count);

}  // namespace hone::kernels
