// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/right_answer_for_test.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hone/agent/questions/answer.h"

namespace hone::agent {
namespace {

// A value that the label calls right.
std::string RightValue(const QuestionItem& item, const ItemLabel& label) {
  if (label.right == RightMove::kHigher && !item.highest.empty()) return item.highest;
  if (label.right == RightMove::kLower && !item.lowest.empty()) return item.lowest;
  const auto best = std::max_element(
      label.accepted.begin(), label.accepted.end(),
      [](const AcceptedValue& a, const AcceptedValue& b) { return a.credit < b.credit; });
  return best == label.accepted.end() ? std::string() : best->value;
}

double CreditIn(const ItemLabel& label) {
  double best = 0;
  for (const AcceptedValue& accepted : label.accepted) best = std::max(best, accepted.credit);
  return best;
}

}  // namespace

std::string RightAnswerOf(const QuestionRow& row) {
  if (!row.label) return {};
  std::vector<Decision> right;
  double best = 0;
  for (const QuestionItem& item : row.question.items) {
    const ItemLabel* label = FindLabel(*row.label, item.key);
    if (label == nullptr || label->right == RightMove::kKeep) continue;
    Decision decision{item.key, RightValue(item, *label)};
    if (decision.value.empty()) continue;
    if (row.question.kind != QuestionKind::kChoice) {
      right.push_back(std::move(decision));
    } else if (CreditIn(*label) > best) {  // One member, the best.
      best = CreditIn(*label);
      right = {std::move(decision)};
    }
  }
  return AnswerText(row.question, right);
}

}  // namespace hone::agent
