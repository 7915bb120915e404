// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/questions/kconfig_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "hone/kconfig/reason/explain.h"

namespace hone::agent {
namespace {

// The kind under which it is asked; nullopt if nothing can be decided.
std::optional<QuestionKind> KindOf(const kconfig::Configuration& configuration,
                                   const kconfig::Question& asked) {
  switch (asked.kind) {
    case kconfig::QuestionKind::kChoice:
      if (asked.assignable.size() < 2) return std::nullopt;
      return QuestionKind::kChoice;
    case kconfig::QuestionKind::kMenu:
      return QuestionKind::kMenu;
    case kconfig::QuestionKind::kValue:
      if (!configuration.IsChangeable(asked.symbol)) return std::nullopt;
      return QuestionKind::kValue;
    case kconfig::QuestionKind::kBool:
      break;
  }
  const bool is_movable =
      std::ranges::any_of(asked.assignable, [&](const auto& text) { return text != asked.value; });
  if (!is_movable) return std::nullopt;
  const auto type = configuration.EffectiveType(asked.symbol);
  return type == kconfig::SymbolType::kTristate ? QuestionKind::kTristate : QuestionKind::kBool;
}

std::string KeyOf(const kconfig::Tree& tree, const kconfig::Question& asked) {
  const bool has_name = asked.symbol != kconfig::kNone && !tree.symbol(asked.symbol).name.empty();
  return has_name ? std::string(tree.symbol(asked.symbol).name) : asked.prompt;
}

// Deals items of one kind out into questions.
class Dealer {
 public:
  Dealer(const kconfig::MenuPage& page, QuestionKind kind, std::size_t max_items)
      : title_(page.title), kind_(kind), max_items_(std::max<std::size_t>(max_items, 1)) {}

  void Add(QuestionItem item, kconfig::MenuId node) {
    if (dealt_.empty() || dealt_.back().nodes.size() == max_items_) {
      dealt_.push_back({{kind_, title_, {}}, {}, kconfig::kNone});
      keys_.clear();
    }
    // Two plain menus may have one title; the second is then called "Title (2)".
    const std::string plain = item.key;
    for (int number = 2; !keys_.insert(item.key).second; ++number) {
      item.key = fmt::format("{} ({})", plain, number);
    }
    dealt_.back().question.items.push_back(std::move(item));
    dealt_.back().nodes.push_back(node);
  }

  std::vector<KconfigQuestion> Finish() { return std::move(dealt_); }

 private:
  std::string title_;
  QuestionKind kind_;
  std::size_t max_items_;
  std::set<std::string> keys_;
  std::vector<KconfigQuestion> dealt_;
};

// The definition of a member that a person sees; its first if none is shown.
kconfig::MenuId ShownNode(const kconfig::Configuration& configuration, kconfig::SymbolId symbol) {
  const kconfig::Tree& tree = configuration.tree();
  const kconfig::MenuId first = tree.symbol(symbol).first_menu;
  for (kconfig::MenuId at = first; at != kconfig::kNone; at = tree.menu(at).next_definition) {
    if (tree.menu(at).prompt != kconfig::kNone && configuration.IsVisible(at)) return at;
  }
  return first;
}

KconfigQuestion ChoiceOf(const kconfig::Configuration& configuration,
                         const kconfig::Question& asked) {
  const kconfig::Tree& tree = configuration.tree();
  KconfigQuestion choice{{QuestionKind::kChoice, asked.prompt, {}}, {}, asked.symbol};
  for (const kconfig::SymbolId member : tree.MembersOf(asked.symbol)) {
    if (configuration.visibility(member) == kconfig::Tristate::kNo) continue;
    const kconfig::MenuId node = ShownNode(configuration, member);
    const kconfig::PropertyId prompt =
        node == kconfig::kNone ? kconfig::kNone : tree.menu(node).prompt;
    QuestionItem item;
    item.key = kconfig::DisplayName(tree, member);
    if (prompt != kconfig::kNone) item.prompt = std::string(tree.property(prompt).text);
    item.value = configuration.Selection(asked.symbol) == member ? "y" : "n";
    choice.question.items.push_back(std::move(item));
    choice.nodes.push_back(node);
  }
  return choice;
}

QuestionItem ItemOf(const kconfig::Tree& tree, QuestionKind kind, const kconfig::Question& asked) {
  QuestionItem item;
  item.key = KeyOf(tree, asked);
  item.prompt = asked.prompt;
  if (kind == QuestionKind::kMenu) return item;
  item.value = asked.value;
  if (kind == QuestionKind::kValue) {
    item.lowest = asked.lowest;
    item.highest = asked.highest;
  } else {
    item.allowed = asked.assignable;
  }
  return item;
}

}  // namespace

std::vector<KconfigQuestion> QuestionsOf(const kconfig::Configuration& configuration,
                                         const kconfig::MenuPage& page, std::size_t max_items) {
  std::vector<KconfigQuestion> questions;
  for (const kconfig::Question& asked : page.questions) {
    if (KindOf(configuration, asked) == QuestionKind::kChoice) {
      questions.push_back(ChoiceOf(configuration, asked));
    }
  }
  for (const QuestionKind kind :
       {QuestionKind::kValue, QuestionKind::kBool, QuestionKind::kTristate, QuestionKind::kMenu}) {
    Dealer dealer(page, kind, max_items);
    for (const kconfig::Question& asked : page.questions) {
      if (KindOf(configuration, asked) != kind) continue;
      dealer.Add(ItemOf(configuration.tree(), kind, asked), asked.menu);
    }
    for (KconfigQuestion& question : dealer.Finish()) questions.push_back(std::move(question));
  }
  return questions;
}

}  // namespace hone::agent
