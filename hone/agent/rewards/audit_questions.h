// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hone/agent/questions/answer.h"
#include "hone/agent/questions/question.h"
#include "hone/agent/rewards/label.h"

namespace hone::agent {

// A made-up question whose right answer is known, for trying reward rules.
struct AuditQuestion {
  Question question;
  Label label;
  std::vector<Decision> perfect;  // The right decisions, in the order of the items.
};

// So many questions of a kind, the same for a seed. About a fifth want nothing changed; of the
// others a third of the items should change, a tenth is not known, and numbers go over ranges of
// one to six decades, some in hex.
std::vector<AuditQuestion> MakeAuditQuestions(QuestionKind kind, std::size_t count,
                                              std::uint64_t seed);

}  // namespace hone::agent
