// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/questions/answer.h"
#include "hone/agent/questions/kconfig_questions.h"
#include "hone/agent/walk/option_editor.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::agent {

// What a model is told before every question: what it is to do, and the form of an answer.
std::string WalkRules(bool has_tools);

// What a question is asked about beside its items.
struct QuestionPlace {
  std::string goal;
  std::vector<std::string> path;             // Titles of the menus from the root.
  std::vector<OptionRequest> honoured = {};  // So far, the latest last.
};

// The question as a model reads it. Prompts, help texts and conditions are the tree's, and so
// untrusted: each is quoted on lines of its own with a limit, and what was cut is said.
std::string QuestionText(const kconfig::Configuration& configuration,
                         const KconfigQuestion& question, const QuestionPlace& place);

// What is wrong with an answer, if anything is: it cannot be read, some of its lines make no sense,
// or some requests were refused. Empty: nothing is.
std::string FeedbackText(const Answer& answer, const std::vector<RequestVerdict>& verdicts);

// Plain text (plain_text.h) of at most `max` bytes on one line; what was cut is said. Quotation
// marks stay, since names are repeated as they stand.
std::string Quoted(std::string_view text, std::size_t max);

}  // namespace hone::agent
