// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "hone/agent/chat/chat_model.h"
#include "hone/agent/proposer/proposal_answer.h"
#include "hone/agent/proposer/tuning_brief.h"
#include "hone/core/candidate.h"
#include "hone/core/space.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::agent {

// How much of a prompt there may be. What does not fit is left out, and the prompt says so.
struct PromptLimits {
  std::size_t bytes = 32'000;     // Of the question; parameters, trials and refusals share them.
  std::size_t text = 240;         // Of one text of others: a description, a caution, a fact.
  std::size_t trials = 40;        // Shown.
  std::size_t refusals = 12;      // Shown, the newest.
  std::size_t max_proposals = 6;  // Asked for.
};

// What a question is made of. All of it outlives the making.
struct QuestionGround {
  const Space& space;
  const Candidate& baseline;
  const TuningBrief& brief;
  const std::map<std::int64_t, tune::Trial>& trials;  // By number.
  std::span<const Refusal> refusals;                  // Oldest first.
  std::int64_t trials_left = 0;                       // 0 if unknown.
};

// The question for further candidates. Every text of others in it stands in one line, quoted and
// cut; the answer's schema is in the request.
ChatRequest MakeTuningQuestion(const QuestionGround& ground, const PromptLimits& limits);

}  // namespace hone::agent
