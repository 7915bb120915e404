// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/questions/question.h"

namespace hone::agent {

// What an answer says of one item: "y", "m" or "n" of a bool or tristate, the text of a value; "y"
// of a menu to be opened and of the chosen member.
struct Decision {
  std::string key;
  std::string value;

  bool operator==(const Decision&) const = default;
};

// A line that is no decision, and why.
struct AnswerFault {
  std::string line;
  std::string what;
  bool is_repeat = false;  // A second answer to what was answered before.

  bool operator==(const AnswerFault&) const = default;
};

// What a model wants, as far as it can be understood. An item that is not named stays as it is.
struct Answer {
  bool is_well_formed = false;      // There is exactly one answer, after what was thought.
  std::vector<Decision> decisions;  // In the order of the lines; one for a key.
  std::vector<AnswerFault> faults;
};

// Reads an answer:
//   <think>…</think>            at most once, first; nothing in it counts
//   <answer>
//   NAME = y                    Bool, Tristate (y, m, n), Value (any text)
//   NAME                        Menu: to be opened; Choice: the member to take, one line
//   </answer>
// Names are keys of the question, CONFIG_ may stand before them. "keep" as a value says that an
// item stays as it is, and is no decision. Never fails: what makes no sense is a fault.
Answer ParseAnswer(const Question& question, std::string_view text);

// The same in the other direction: the text that ParseAnswer reads so.
std::string AnswerText(const Question& question, const std::vector<Decision>& decisions);

}  // namespace hone::agent
