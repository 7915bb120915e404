// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/answer_reward.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "hone/agent/rewards/number_scale.h"

namespace hone::agent {
namespace {

bool HasOneAnswer(const Answer& answer) {
  return answer.is_well_formed &&
         std::none_of(answer.faults.begin(), answer.faults.end(),
                      [](const AnswerFault& fault) { return fault.is_repeat; });
}

// What the answer makes of the item; nullptr if it stays as it is.
const std::string* DecisionOn(const Question& question, const QuestionItem& item,
                              const Answer& answer) {
  const auto found =
      std::find_if(answer.decisions.begin(), answer.decisions.end(),
                   [&item](const Decision& decision) { return decision.key == item.key; });
  if (found == answer.decisions.end()) return nullptr;
  const bool has_present = question.kind != QuestionKind::kMenu;
  return has_present && IsSameValue(found->value, item.value) ? nullptr : &found->value;
}

// c of the formula.
double CreditOf(const Question& question, const QuestionItem& item, const ItemLabel& label,
                const std::string& said) {
  if (label.right == RightMove::kHigher || label.right == RightMove::kLower) {
    const auto number = NumberOf(said);
    const auto present = NumberOf(item.value);
    if (!number || !present || !IsInRange(item, said)) return 0;
    return (label.right == RightMove::kHigher ? *number > *present : *number < *present) ? 1 : 0;
  }
  double best = 0;
  for (const AcceptedValue& accepted : label.accepted) {
    const double near = question.kind == QuestionKind::kValue
                            ? ClosenessOf(item, accepted.value, said)
                            : (accepted.value == said ? 1.0 : 0.0);
    best = std::max(best, accepted.credit * near);
  }
  return best;
}

struct Sums {
  double right = 0;    // R
  double decided = 0;  // D
  double hit = 0;      // T
  double kept = 0;     // K
  double broken = 0;   // X
};

void Add(Sums& sums, const Question& question, const QuestionItem& item, const ItemLabel& label,
         const std::string* said) {
  if (label.right == RightMove::kKeep) {
    sums.kept += label.weight;
    if (said == nullptr || CreditOf(question, item, label, *said) >= 1) return;
    sums.broken += label.weight;
    sums.decided += label.weight;
    return;
  }
  sums.right += label.weight;
  if (said == nullptr) return;
  sums.decided += label.weight;
  sums.hit += label.weight * CreditOf(question, item, label, *said);
}

double ListReward(const Question& question, const Label& label, const Answer& answer) {
  Sums sums;
  for (const QuestionItem& item : question.items) {
    const ItemLabel* known = FindLabel(label, item.key);
    if (known != nullptr) {
      Add(sums, question, item, *known, DecisionOn(question, item, answer));
    }
  }
  const double mean = (sums.right + sums.kept) / static_cast<double>(label.items.size());
  const double faults = mean * static_cast<double>(answer.faults.size());
  if (sums.right <= 0) return std::max(0.0, 1 - (sums.broken + faults) / sums.kept);
  const double harm = sums.kept > 0 ? sums.broken / sums.kept : 0;
  return 2 * sums.hit / (sums.decided + faults + sums.right) * (1 - harm / 2);
}

double ChoiceReward(const Question& question, const Label& label, const Answer& answer) {
  std::string chosen;
  for (const QuestionItem& member : question.items) {
    if (member.value == "y") chosen = member.key;
  }
  if (!answer.decisions.empty()) chosen = answer.decisions.front().key;
  const ItemLabel* known = FindLabel(label, chosen);
  if (known == nullptr) return 0;
  double credit = known->right == RightMove::kKeep ? 1 : 0;
  for (const AcceptedValue& accepted : known->accepted) credit = std::max(credit, accepted.credit);
  return credit / (1 + static_cast<double>(answer.faults.size()));
}

}  // namespace

Answer ReadResponse(const Question& question, std::string_view response) {
  return response.size() > kMaxResponseBytes ? Answer{} : ParseAnswer(question, response);
}

double FormatReward(const Answer& answer) {
  if (!HasOneAnswer(answer)) return 0;
  const auto faults = static_cast<double>(answer.faults.size());
  const auto lines = faults + static_cast<double>(answer.decisions.size());
  return lines > 0 ? 1 - faults / lines : 1;
}

Result<double> AnswerReward(const Question& question, const Label& label, const Answer& answer) {
  if (auto checked = CheckLabel(question, label); !checked) return checked.error();
  if (FormatReward(answer) <= 0) return 0.0;
  return question.kind == QuestionKind::kChoice ? ChoiceReward(question, label, answer)
                                                : ListReward(question, label, answer);
}

Result<ResponseReward> RewardOfResponse(const Question& question, const Label& label,
                                        std::string_view response, const ResponseRule& rule) {
  if (!(rule.format_share >= 0 && rule.format_share <= 1)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("format_share {}: expected 0 to 1", rule.format_share)};
  }
  const Answer answer = ReadResponse(question, response);
  const auto worth = AnswerReward(question, label, answer);
  if (!worth) return worth.error();
  ResponseReward reward{FormatReward(answer), *worth, 0};
  reward.total = rule.format_share * reward.format + (1 - rule.format_share) * reward.answer;
  return reward;
}

}  // namespace hone::agent
