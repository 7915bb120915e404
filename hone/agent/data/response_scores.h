// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/data/question_row.h"
#include "hone/agent/rewards/answer_reward.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

namespace hone::agent {

// What a model answered to a row of a question set.
struct Response {
  std::string id;  // Of the row.
  std::string text;
};

// Lines {"id": …, "response": …}.
Result<std::vector<Response>> ParseResponses(std::string_view text, const std::string& what);

struct ScoredResponse {
  std::string id;
  QuestionKind kind = QuestionKind::kBool;
  Result<ResponseReward> reward;  // An Error: no such row, or no label. Never 0 instead.
};

struct ResponseScores {
  std::vector<ScoredResponse> scored;  // In the order of the responses.
  std::size_t rewarded = 0;
  double mean = 0;  // Of the totals of those that have one; 0 if none has.
};

ResponseScores ScoreResponses(const std::vector<QuestionRow>& rows,
                              const std::vector<Response>& responses);

Json ToJson(const ResponseScores& scores);

}  // namespace hone::agent
