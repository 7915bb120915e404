// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::agent {

// What a language model is asked about build options, in groups of one kind.
enum class QuestionKind : std::uint8_t { kBool, kTristate, kMenu, kChoice, kValue };

// "Bool", "Tristate", "Menu", "Choice", "Value": the words of prompts and data sets.
std::string_view NameOf(QuestionKind kind);
Result<QuestionKind> QuestionKindNamed(std::string_view name);

// One line of a question.
struct QuestionItem {
  std::string key;  // How an answer names it: the symbol without CONFIG_, or
                    // the prompt of a plain menu. Unique in its question.
  std::string prompt;
  std::string value = {};                 // In force now; of a menu empty.
  std::vector<std::string> allowed = {};  // What a bool or tristate may be set to now.
  std::string lowest = {};                // Of a number with a range.
  std::string highest = {};

  bool operator==(const QuestionItem&) const = default;
};

// Which of the bools and tristates to set, which menus to open, which member of a choice to take,
// which values to give.
struct Question {
  QuestionKind kind = QuestionKind::kBool;
  std::string title;  // Of the menu it comes from; of a choice, its prompt.
  std::vector<QuestionItem> items;

  bool operator==(const Question&) const = default;
};

}  // namespace hone::agent
