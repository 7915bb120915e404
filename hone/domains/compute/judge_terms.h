// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/task.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

// On what terms a candidate is judged: by whose problem, and in what otherwise than that says.
struct JudgeTerms {
  std::string problem;  // Its name in data/problems; empty: who asked sent its text.
  std::string digest;   // SHA-256 of its document, as it was judged.
  std::vector<std::string> deviations;
};

// What in these options makes it another judgement than the one that the named problem stands for,
// a sentence each: whatever is not the default and could help a candidate. More trials, more
// samples, a finer precision cannot. Nothing of a problem that was sent: all of that is its
// sender's.
std::vector<std::string> DeviationsIn(const Options& options);

// Of options that were read without a fault.
JudgeTerms TermsOf(const Options& options, const Problem& problem);

// {"problem": "saxpy" or null, "digest": "…", "deviations": […]}
Json ToJson(const JudgeTerms& terms);

// For people: empty for the standard verdict on a problem by name.
std::string TextOf(const JudgeTerms& terms);

}  // namespace hone::compute
