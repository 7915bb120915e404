// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/agent/data/question_row.h"

namespace hone::agent {

// Bools that are n now; the first should be y, the others stay.
inline QuestionRow LabelledRow(const std::string& goal, const std::vector<std::string>& keys) {
  QuestionRow row;
  row.goal = goal;
  row.question = {QuestionKind::kBool, "Menu", {}};
  row.label = Label{};
  for (const std::string& key : keys) {
    row.question.items.push_back(
        {.key = key, .prompt = "Support for " + key, .value = "n", .allowed = {"n", "y"}});
    ItemLabel label{.key = key};
    if (row.label->items.empty()) {
      label.right = RightMove::kSet;
      label.accepted = {{"y", 1}};
    }
    row.label->items.push_back(label);
  }
  row.id = IdOf(row);
  return row;
}

}  // namespace hone::agent
