// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/agent/data/question_row.h"

namespace hone::agent {

// The right answer as a model would write it; empty if the row has no label.
std::string RightAnswerOf(const QuestionRow& row);

}  // namespace hone::agent
