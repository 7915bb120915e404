// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/space.h"
#include "hone/core/value.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::agent {

// One candidate that a model would try: valid in the space, constraints kept.
struct Proposal {
  Assignment assignment;
  std::set<std::string> set = {};  // Parameters whose values are the model's choice: what it named,
                                   // and what these need to exist.
  std::string why = {};            // The model's words; untrusted.
};

// Something that a model wrote and that is not a candidate.
struct Refusal {
  std::string what;    // The model's words, cut.
  std::string reason;  // Ours, for the model to read.
};

struct ReadProposals {
  std::vector<Proposal> proposals = {};  // In the model's order.
  std::vector<Proposal> unkept = {};     // Refused, and only because a constraint is not kept.
  std::vector<Refusal> refusals = {};
};

// What an answer is read against. All of it outlives the reading.
struct ProposalGround {
  const Space& space;
  const Assignment& baseline;
  const std::map<std::int64_t, tune::Trial>& trials;  // By number, which "from" may name.
  std::size_t max_proposals = 8;                      // What comes after so many is not read.
  std::map<std::string, std::string> forbidden = {};  // TuningBrief::forbidden. A parameter of the
                                                      // space is allowed all the same.
};

// Parameters that a schema names at most: it goes with every request, and has no other limit.
inline constexpr std::size_t kMaxNamed = 200;

// The form of an answer, as a JSON Schema in the subset that every endpoint's strict mode takes:
//   {"candidates": [{"from": -1, "set": [{"name": "vm.swappiness", "value": "10"}], "why": "…"}]}
// "from" is -1 for the baseline or the number of a trial, whose values hold where nothing is set.
// Of more parameters than max_named it lists no names; one that does not exist is refused all the
// same.
Json ProposalSchema(const Space& space, std::size_t max_proposals,
                    std::size_t max_named = kMaxNamed);

// The JSON of an answer: all of it, or what its last fenced block holds; what a model thought aloud
// before it (<think>…</think>) is skipped. It points into the text.
std::string_view JsonIn(std::string_view text);

// How many candidates an answer lists, be they of use or not.
std::int64_t CandidatesListedIn(std::string_view text);

// What became active without being set takes what is in force; what is inactive goes.
Assignment Settled(Assignment assignment, const Space& space);

// Never fails: what cannot be used is a refusal. "set" may also be an
// object.
ReadProposals ReadProposalAnswer(std::string_view text, const ProposalGround& ground);

}  // namespace hone::agent
