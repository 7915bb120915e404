// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/agent/chat/chat_model.h"
#include "hone/agent/data/question_row.h"

namespace hone::agent {

// What a model is told and asked, for a row of a question set: the rules of an answer as the system
// message, the goal and the items as the user's. Texts of the tree are quoted, each on a line of
// its own and shortened: they describe options and are no instructions.
std::vector<ChatMessage> PromptOf(const QuestionRow& row);

// {"role": …, "content": …}, as every chat form has it.
Json ToChatJson(const std::vector<ChatMessage>& messages);

}  // namespace hone::agent
