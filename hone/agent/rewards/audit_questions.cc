// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/audit_questions.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "hone/core/rng.h"

namespace hone::agent {
namespace {

// What an item is, and what is right for it.
struct Draft {
  QuestionItem item;
  std::string right;  // The value to set; empty: it stays.
};

std::string NameFor(Rng& rng, std::size_t number) {
  static constexpr const char* kWords[] = {"NET", "SCHED", "MM",  "CRYPTO", "FS",
                                           "USB", "DEBUG", "TLS", "NUMA",   "RCU"};
  return fmt::format("{}_{}{}", kWords[rng.Below(10)], kWords[rng.Below(10)], number);
}

Draft DraftSwitch(Rng& rng, bool is_tristate) {
  Draft draft;
  draft.item.allowed =
      is_tristate ? std::vector<std::string>{"n", "m", "y"} : std::vector<std::string>{"n", "y"};
  const auto& allowed = draft.item.allowed;
  const auto present = rng.Below(allowed.size());
  draft.item.value = allowed[present];
  draft.right = allowed[(present + 1 + rng.Below(allowed.size() - 1)) % allowed.size()];
  return draft;
}

Draft DraftValue(Rng& rng) {
  Draft draft;
  if (rng.Below(5) == 0) {  // A text, which is right or wrong.
    draft.item.value = "old";
    draft.right = fmt::format("text{}", rng.Below(100));
    return draft;
  }
  const double decades = 1 + static_cast<double>(rng.Below(6));
  const auto low = static_cast<std::int64_t>(1 + rng.Below(9));
  const auto high = static_cast<std::int64_t>(static_cast<double>(low) * std::pow(10, decades));
  const bool is_hex = rng.Below(4) == 0;
  const auto show = [is_hex](std::int64_t value) {
    return is_hex ? fmt::format("{:#x}", value) : fmt::format("{}", value);
  };
  const auto draw = [&] {
    const double at = rng.Uniform() * decades;
    return static_cast<std::int64_t>(static_cast<double>(low) * std::pow(10, at));
  };
  const std::int64_t present = draw();
  std::int64_t right = draw();
  if (right == present) right = present < high ? present + 1 : low;
  draft.item.lowest = show(low);
  draft.item.highest = show(high);
  draft.item.value = show(present);
  draft.right = show(right);
  return draft;
}

Draft DraftOf(QuestionKind kind, Rng& rng) {
  switch (kind) {
    case QuestionKind::kBool:
      return DraftSwitch(rng, false);
    case QuestionKind::kTristate:
      return DraftSwitch(rng, true);
    case QuestionKind::kValue:
      return DraftValue(rng);
    case QuestionKind::kMenu:
    case QuestionKind::kChoice:
      break;
  }
  return {{}, "y"};
}

AuditQuestion MakeList(QuestionKind kind, Rng& rng, bool wants_change) {
  AuditQuestion made;
  made.question = {kind, fmt::format("Menu {}", rng.Below(1000)), {}};
  const std::size_t count = 4 + rng.Below(6);
  const std::size_t sure = rng.Below(count);     // At least one changes if any should.
  const std::size_t still = (sure + 1) % count;  // And at least one stays.
  for (std::size_t i = 0; i < count; ++i) {
    Draft draft = DraftOf(kind, rng);
    draft.item.key = NameFor(rng, i);
    draft.item.prompt = fmt::format("Support for {}", draft.item.key);
    const bool changes = wants_change && i != still && (i == sure || rng.Below(3) == 0);
    const bool is_known = i == sure || i == still || rng.Below(10) != 0;
    ItemLabel label{.key = draft.item.key,
                    .source = {LabelOrigin::kImported, "hone rewards audit", "made up"}};
    label.weight = rng.Below(3) == 0 ? 2 : 1;
    if (changes) {
      label.right = RightMove::kSet;
      label.accepted = {{draft.right, 1}};
      if (is_known) made.perfect.push_back({draft.item.key, draft.right});
    }
    if (is_known) made.label.items.push_back(std::move(label));
    made.question.items.push_back(std::move(draft.item));
  }
  return made;
}

AuditQuestion MakeChoice(Rng& rng, bool wants_change) {
  AuditQuestion made;
  made.question = {QuestionKind::kChoice, fmt::format("Choice {}", rng.Below(1000)), {}};
  const std::size_t count = 3 + rng.Below(4);
  const std::size_t present = rng.Below(count);
  const std::size_t other = (present + 1 + rng.Below(count - 1)) % count;
  const std::size_t right = wants_change ? other : present;
  for (std::size_t i = 0; i < count; ++i) {
    QuestionItem item{.key = NameFor(rng, i), .prompt = {}, .value = i == present ? "y" : "n"};
    item.prompt = fmt::format("Support for {}", item.key);
    if (i == right) {
      ItemLabel label{.key = item.key,
                      .source = {LabelOrigin::kImported, "hone rewards audit", "made up"}};
      if (wants_change) {
        label.right = RightMove::kSet;
        label.accepted = {{"y", 1}};
        made.perfect = {{item.key, "y"}};
      }
      made.label.items.push_back(std::move(label));
    }
    made.question.items.push_back(std::move(item));
  }
  return made;
}

}  // namespace

std::vector<AuditQuestion> MakeAuditQuestions(QuestionKind kind, std::size_t count,
                                              std::uint64_t seed) {
  const Rng root = Rng(seed).Split(NameOf(kind));
  std::vector<AuditQuestion> made;
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng = root.Split(i);
    const bool wants_change = i % 5 != 4;
    made.push_back(kind == QuestionKind::kChoice ? MakeChoice(rng, wants_change)
                                                 : MakeList(kind, rng, wants_change));
  }
  return made;
}

}  // namespace hone::agent
