// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/data/question_row.h"
#include "hone/core/result.h"

namespace hone::agent {

// Something in a log that could not be taken over, and why.
struct ImportFault {
  std::string place;  // "kvm.log:17"
  std::string what;
};

struct ImportedLog {
  std::vector<QuestionRow> rows;
  std::vector<ImportFault> faults;  // Lines, or labels of lines, that were left out.
};

// Reads one log of OS-R1: the first line is the goal, each other one a JSON object with `question`
// (TYPE, a tab, items one a line: "Prompt text (SYMBOL)", of values "Prompt text (value)") and
// `answer`. Its labels are a language model's transcript: they come over with the origin
// "imported", 2 as y, 0 as n, -1 as keep. Nothing in it is trusted: what does not fit is a fault.
// kCorrupt: it has no goal, or no line that can be read.
Result<ImportedLog> ImportOsR1Log(std::string_view text, const std::string& name);

}  // namespace hone::agent
