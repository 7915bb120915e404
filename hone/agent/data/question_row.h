// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/questions/question.h"
#include "hone/agent/questions/question_json.h"
#include "hone/agent/rewards/label.h"
#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/core/result.h"

// Question sets: one question a line, as JSON. docs/formats/training-data.md describes them.
namespace hone::agent {

// A question with its goal, where it comes from, and what is right, as far as that is known.
struct QuestionRow {
  std::string id;                 // The same for the same question and goal.
  std::string goal;               // In words: "faster system calls".
  std::string tree;               // "linux 6.1 x86_64"; empty if not known.
  std::vector<std::string> path;  // Titles of the menus from the root.
  std::string split;              // "train", "validation", "test"; empty before it is dealt out.
  Question question;
  std::optional<Label> label;

  bool operator==(const QuestionRow&) const = default;
};

// Digest of goal, kind, title and items.
std::string IdOf(const QuestionRow& row);

using hone::ToJson;
Json ToJson(const Label& label);
Json ToJson(const QuestionRow& row);

// On a fault the reader holds it and a default comes back.
Question ReadQuestion(JsonReader reader);
Label ReadLabel(JsonReader reader);

// Strict, and a label must fit its question: a row that is read can be rewarded. `what` names the
// line: "set.jsonl:3".
Result<QuestionRow> ParseQuestionRow(std::string_view line, const std::string& what);

// All lines of a file's text; empty ones are left out. The first fault is the Error.
Result<std::vector<QuestionRow>> ParseQuestionSet(std::string_view text, const std::string& what);

// The documents of a text with one on each line; `what` and the line's number name each.
Result<std::vector<Json>> ParseJsonLines(std::string_view text, const std::string& what);
std::string JsonLines(const std::vector<Json>& documents);

}  // namespace hone::agent
