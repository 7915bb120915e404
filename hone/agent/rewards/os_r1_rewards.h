// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/questions/question.h"
#include "hone/agent/rewards/label.h"
#include "hone/core/result.h"

// The rules by which OS-R1 (LHY-24/OS-R1 at a01116d, agent_r1/src/reward_score/os_r1_score.py)
// rewards answers, written anew from what they do, with their defects: for comparison, never for
// training. docs/rewards.md shows what they give beside ours.
namespace hone::agent {

// What its data set holds as the right answer: the kind, a tab, and the answer as JSON.
//   Bool    [{"config": "lower_case_symbol", "value": 2 | 0 | -1}, …]
//   Menu    ["Prompt", …]
//   Choice  "SYMBOL"
//   Value   [{"config": "Prompt", "value": "text"}, …]
struct OsR1Truth {
  QuestionKind kind = QuestionKind::kBool;  // It knows no Tristate.
  std::string answer;                       // JSON.
};

// The assistant's messages of one episode, in order; the last one holds the answer.
using OsR1Episode = std::vector<std::string>;

// 0.45 if a message before the last is exactly <think>…</think>\n<tool_call>…</tool_call>, plus
// 0.55 if the last one is exactly <think>…</think>\n<answer>…</answer>.
double OsR1Format(const OsR1Episode& episode);

// What stands in the first <answer> of the last message, also where that is inside the thinking:
//   Bool    0.1 [all lines in brackets] + 0.1 [all lines have one "-"] + 0.1 [all values legal]
//           + 0.7 right / labels; what is wrong costs nothing
//   Menu    0.1 [all lines in brackets] + 0.9 right / labels
//   Choice  0.2 [in brackets] + 0.8 [equals the label as JSON, quotes included: never]
//   Value   lines that equal a line of the label as JSON / lines of it: never
// 0 where Python would have thrown: no label, a value that is no label's.
double OsR1Answer(const OsR1Episode& episode, const OsR1Truth& truth);

// format - 1, plus the answer's if format >= 0.99.
double OsR1Total(const OsR1Episode& episode, const OsR1Truth& truth);

// Our label as its data set would have it: y and m are 2, n is 0, keep is -1. kUnsupported: a
// tristate question, which it never asks; kInvalidArgument: a value without a label to show.
Result<OsR1Truth> OsR1TruthOf(const Question& question, const Label& label);

}  // namespace hone::agent
