// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/response_scores.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace hone::agent {
namespace {

Result<ResponseReward> RewardOfRow(const QuestionRow& row, const std::string& response) {
  if (!row.label) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("question {:.80}: it has no label, so no reward", row.id)};
  }
  return RewardOfResponse(row.question, *row.label, response);
}

}  // namespace

Result<std::vector<Response>> ParseResponses(std::string_view text, const std::string& what) {
  const auto documents = ParseJsonLines(text, what);
  if (!documents) return documents.error();
  std::vector<Response> responses;
  for (const Json& document : *documents) {
    JsonReader reader(document, fmt::format("{}: response {}", what, responses.size() + 1));
    Response response{reader.At("id").String(), reader.At("response").String()};
    if (auto finished = reader.Finish(); !finished) return finished.error();
    responses.push_back(std::move(response));
  }
  return responses;
}

ResponseScores ScoreResponses(const std::vector<QuestionRow>& rows,
                              const std::vector<Response>& responses) {
  std::map<std::string_view, const QuestionRow*> by_id;
  std::set<std::string_view> ambiguous;
  for (const QuestionRow& row : rows) {
    const auto [known, is_new] = by_id.emplace(row.id, &row);
    if (!is_new && *known->second != row) ambiguous.insert(row.id);
  }
  ResponseScores scores;
  double sum = 0;
  for (const Response& response : responses) {
    const auto found = by_id.find(response.id);
    if (found == by_id.end()) {
      scores.scored.push_back(
          {response.id, QuestionKind::kBool,
           Error{Errc::kNotFound, fmt::format("question {:.80}: not in the set", response.id)}});
      continue;
    }
    if (ambiguous.contains(response.id)) {
      scores.scored.push_back(
          {response.id, QuestionKind::kBool,
           Error{Errc::kCorrupt, fmt::format("question {:.80}: several in the set have this id; "
                                             "which one was answered is not known",
                                             response.id)}});
      continue;
    }
    const QuestionRow& row = *found->second;
    scores.scored.push_back({row.id, row.question.kind, RewardOfRow(row, response.text)});
    if (!scores.scored.back().reward) continue;
    ++scores.rewarded;
    sum += scores.scored.back().reward->total;
  }
  if (scores.rewarded > 0) scores.mean = sum / static_cast<double>(scores.rewarded);
  return scores;
}

Json ToJson(const ResponseScores& scores) {
  Json rows = Json::array();
  for (const ScoredResponse& scored : scores.scored) {
    Json row = {{"id", scored.id}};
    if (scored.reward) {
      row["kind"] = NameOf(scored.kind);
      row["format"] = scored.reward->format;
      row["answer"] = scored.reward->answer;
      row["reward"] = scored.reward->total;
    } else {
      row["reward"] = nullptr;
      row["error"] = scored.reward.error().message;
    }
    rows.push_back(std::move(row));
  }
  return {{"responses", rows},
          {"rewarded", scores.rewarded},
          {"mean", scores.rewarded > 0 ? Json(scores.mean) : Json()}};
}

}  // namespace hone::agent
