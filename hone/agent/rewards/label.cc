// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/label.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "hone/agent/rewards/number_scale.h"

namespace hone::agent {
namespace {

constexpr std::array<std::string_view, 4> kLabelOrigins = {"measured", "solver", "knowledge",
                                                           "imported"};
constexpr std::array<std::string_view, 4> kRightMoves = {"keep", "set", "higher", "lower"};

template <typename Enum, std::size_t kCount>
Result<Enum> Named(const std::array<std::string_view, kCount>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  return Error{Errc::kInvalidArgument,
               fmt::format("\"{:.40}\": expected {}", name, fmt::join(names, ", "))};
}

Error BadLabel(const ItemLabel& label, std::string_view what) {
  return {Errc::kInvalidArgument, fmt::format("label of {:.80}: {}", label.key, what)};
}

const QuestionItem* FindItem(const Question& question, std::string_view key) {
  const auto found = std::find_if(question.items.begin(), question.items.end(),
                                  [key](const QuestionItem& item) { return item.key == key; });
  return found == question.items.end() ? nullptr : &*found;
}

// Why the value cannot be the answer to this question; empty if it can.
std::string WhyImpossible(const Question& question, const QuestionItem& item,
                          const std::string& value) {
  switch (question.kind) {
    case QuestionKind::kBool:
    case QuestionKind::kTristate:
      if (std::find(item.allowed.begin(), item.allowed.end(), value) == item.allowed.end()) {
        return fmt::format("\"{:.80}\" is none of {}", value, fmt::join(item.allowed, ", "));
      }
      return {};
    case QuestionKind::kMenu:
    case QuestionKind::kChoice:
      return value == "y" ? std::string() : fmt::format("\"{:.80}\": expected \"y\"", value);
    case QuestionKind::kValue:
      return IsInRange(item, value) ? std::string()
                                    : fmt::format("{:.80} is not in its range", value);
  }
  return {};
}

Result<void> CheckAccepted(const Question& question, const QuestionItem& item,
                           const ItemLabel& label) {
  double best = 0;
  for (const AcceptedValue& accepted : label.accepted) {
    if (!(accepted.credit > 0) || accepted.credit > 1) {
      return BadLabel(label, fmt::format("credit {} is not in (0, 1]", accepted.credit));
    }
    const std::string why = WhyImpossible(question, item, accepted.value);
    if (!why.empty()) return BadLabel(label, why);
    const bool is_present =
        question.kind == QuestionKind::kMenu || question.kind == QuestionKind::kChoice
            ? false
            : IsSameValue(item.value, accepted.value);
    if (is_present && label.right == RightMove::kSet) {
      return BadLabel(label, "it has the accepted value already, which is \"keep\"");
    }
    best = std::max(best, accepted.credit);
  }
  if (label.right == RightMove::kSet && best < 1 && question.kind != QuestionKind::kChoice) {
    return BadLabel(label, "no accepted value has credit 1");
  }
  return {};
}

Result<void> CheckItem(const Question& question, const ItemLabel& label) {
  const QuestionItem* item = FindItem(question, label.key);
  if (item == nullptr) return BadLabel(label, "the question has no such item");
  if (!std::isfinite(label.weight) || label.weight <= 0) {
    return BadLabel(label, fmt::format("weight {} is not above 0", label.weight));
  }
  const bool is_direction = label.right == RightMove::kHigher || label.right == RightMove::kLower;
  if (is_direction && (question.kind != QuestionKind::kValue || !NumberOf(item->value))) {
    return BadLabel(label, "only a number can go higher or lower");
  }
  if (label.right == RightMove::kSet && label.accepted.empty()) {
    return BadLabel(label, "no value is accepted");
  }
  return CheckAccepted(question, *item, label);
}

// Of a choice some member must be right, and a member that is kept is the one in force.
Result<void> CheckChoice(const Question& question, const Label& label) {
  double best = 0;
  for (const ItemLabel& member : label.items) {
    if (member.right == RightMove::kKeep) {
      if (FindItem(question, member.key)->value != "y") {
        return BadLabel(member, "it is to be kept, but it is not the member in force");
      }
      best = 1;
    }
    for (const AcceptedValue& accepted : member.accepted) best = std::max(best, accepted.credit);
  }
  if (best < 1) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("label of choice {:.80}: no member has credit 1", question.title)};
  }
  return {};
}

}  // namespace

std::string_view NameOf(LabelOrigin origin) {
  return kLabelOrigins.at(static_cast<std::size_t>(origin));
}
Result<LabelOrigin> LabelOriginNamed(std::string_view name) {
  return Named<LabelOrigin>(kLabelOrigins, name);
}
std::string_view NameOf(RightMove right) { return kRightMoves.at(static_cast<std::size_t>(right)); }
Result<RightMove> RightMoveNamed(std::string_view name) {
  return Named<RightMove>(kRightMoves, name);
}

Result<void> CheckLabel(const Question& question, const Label& label) {
  if (label.items.empty()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("question \"{:.80}\": nothing is known of its items", question.title)};
  }
  std::set<std::string_view> keys;
  for (const ItemLabel& item : label.items) {
    if (!keys.insert(item.key).second) return BadLabel(item, "it is there twice");
    if (auto checked = CheckItem(question, item); !checked) return checked.error();
  }
  if (question.kind == QuestionKind::kChoice) return CheckChoice(question, label);
  return {};
}

const ItemLabel* FindLabel(const Label& label, std::string_view key) {
  const auto found = std::find_if(label.items.begin(), label.items.end(),
                                  [key](const ItemLabel& item) { return item.key == key; });
  return found == label.items.end() ? nullptr : &*found;
}

}  // namespace hone::agent
