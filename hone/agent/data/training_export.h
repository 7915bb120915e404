// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/data/question_row.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

// Question sets and episodes in the forms that trainers read. docs/formats/training-data.md
namespace hone::agent {

enum class Trainer : std::uint8_t { kTrl, kVerl };
std::string_view NameOf(Trainer trainer);  // "trl", "verl"
Result<Trainer> TrainerNamed(std::string_view name);

// One question. TRL: "prompt" as messages, "question" and "label" as JSON texts, which its reward
// functions are given as columns. verl: "data_source", "prompt", "ability", "reward_model"
// {"style", "ground_truth": question and label as a JSON text}, "extra_info". kInvalidArgument: no
// label.
Result<Json> ExportQuestion(const QuestionRow& row, Trainer trainer, std::size_t index);

// One episode, as `hone data episodes` writes it. TRL: "prompt" and "completion" as messages,
// "reward". verl: "messages" (for fine-tuning), "extra_info". kInvalidArgument: no such document.
Result<Json> ExportEpisode(const Json& episode, Trainer trainer, std::size_t index);

// Every line of a question set or of episodes; rows without a label are left out and counted.
struct ExportedSet {
  std::vector<Json> rows;
  std::size_t left_out = 0;
};
Result<ExportedSet> ExportLines(std::string_view text, const std::string& what, Trainer trainer);

}  // namespace hone::agent
