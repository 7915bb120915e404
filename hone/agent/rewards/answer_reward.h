// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "hone/agent/questions/answer.h"
#include "hone/agent/questions/question.h"
#include "hone/agent/rewards/label.h"
#include "hone/core/result.h"

// What an answer to a question about build options is worth: pure functions, the same for training
// and for running. All are in [0, 1], and 1 is a perfect answer. A reward that cannot be computed
// is an Error, never 0. docs/rewards.md has the reasons, and what every degenerate policy gets.
namespace hone::agent {

// A response that is longer is not read: it has no answer.
inline constexpr std::size_t kMaxResponseBytes = 1 << 20;

// The answer of a response; not well-formed if it is too long.
Answer ReadResponse(const Question& question, std::string_view response);

// format = 0                          without exactly one answer after the thinking, and if it
//                                     answers anything twice: several answers are none
//        = 1 - faults / (faults + decisions)   else; 1 where there is neither
double FormatReward(const Answer& answer);

// Weights w are the label's; c is the credit of the accepted value that was said, of a number times
// how near it came (ClosenessOf); saying the present value is saying nothing. A fault counts as a
// wrong decision of mean weight. With
//   R = sum of w over what should change    D = sum of w over what was decided, and faults
//   T = sum of w c over what should change  K = sum of w over what should stay
//   X = sum of w over what should stay and was changed
// answer = 2 T / (D + R) (1 - X / (2 K))    Bool, Tristate, Menu, Value; F1, at most half for who
//                                           changes everything that should stay
//        = max(0, 1 - (X + faults) / K)     the same where nothing should change
//        = credit / (1 + faults)            Choice: of the member in force after the answer
// An answer that FormatReward gives 0 has 0 here too.
Result<double> AnswerReward(const Question& question, const Label& label, const Answer& answer);

// How the two are put together.
struct ResponseRule {
  double format_share = 0.1;  // In [0, 1].
};

struct ResponseReward {
  double format = 0;
  double answer = 0;
  double total = 0;
};

// total = s format + (1 - s) answer, s the rule's share.
Result<ResponseReward> RewardOfResponse(const Question& question, const Label& label,
                                        std::string_view response, const ResponseRule& rule = {});

}  // namespace hone::agent
