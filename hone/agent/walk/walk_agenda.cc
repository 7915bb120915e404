// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/walk/walk_agenda.h"

#include <algorithm>
#include <utility>

#include "hone/agent/walk/walk_prompt.h"
#include "hone/kconfig/reason/walk.h"

namespace hone::agent {
namespace {

using kconfig::Configuration;
using kconfig::kNone;
using kconfig::MenuId;
using kconfig::SymbolId;

// A number whose range depends on another, which depends on it, could be asked for ever.
constexpr int kMaxOffersOfAValue = 3;

constexpr std::size_t kMaxMenuName = 200;

std::string RangeKey(std::string_view lowest, std::string_view highest) {
  return std::string(lowest) + ".." + std::string(highest);
}

kconfig::MenuPage PageOf(const kconfig::TreeIndex& index, const Configuration& configuration,
                         MenuId menu) {
  return kconfig::WalkMenu(index, configuration, menu, {.wants_help = false});
}

}  // namespace

WalkAgenda::WalkAgenda(std::shared_ptr<const kconfig::TreeIndex> index, std::size_t max_items,
                       bool opens_all)
    : index_(std::move(index)), max_items_(max_items), opens_all_(opens_all) {}

// A menu whose title cannot be written back is opened instead; so is one with nothing to see in it,
// which may still hold something further below.
bool WalkAgenda::IsAskedAsMenu(const kconfig::Question& question) const {
  const bool has_name = question.symbol != kNone;
  const bool is_nameable = has_name || Quoted(question.prompt, kMaxMenuName) == question.prompt;
  return !opens_all_ && question.inside > 0 && is_nameable;
}

bool WalkAgenda::IsNew(const Configuration& configuration,
                       const kconfig::Question& question) const {
  if (question.kind == kconfig::QuestionKind::kMenu) {
    return IsAskedAsMenu(question) && !offered_menus_.contains(question.menu);
  }
  const kconfig::Symbol& symbol = index_->tree().symbol(question.symbol);
  const bool is_choice = question.kind == kconfig::QuestionKind::kChoice;
  // The selection of a choice is a question of the choice.
  if (!is_choice && symbol.choice != kNone &&
      configuration.visibility(question.symbol) == kconfig::Tristate::kYes) {
    return false;
  }
  const auto found = offers_.find(question.symbol);
  if (found == offers_.end()) return true;
  const Offer& offer = found->second;
  if (question.kind == kconfig::QuestionKind::kValue) {
    return offer.times < kMaxOffersOfAValue &&
           !offer.values.contains(RangeKey(question.lowest, question.highest));
  }
  return std::any_of(question.assignable.begin(), question.assignable.end(),
                     [&](const std::string& value) { return !offer.values.contains(value); });
}

void WalkAgenda::MarkAsked(const KconfigQuestion& asked) {
  const kconfig::Tree& tree = index_->tree();
  const QuestionKind kind = asked.question.kind;
  for (std::size_t i = 0; i < asked.nodes.size(); ++i) {
    const QuestionItem& item = asked.question.items[i];
    const MenuId node = asked.nodes[i];
    if (kind == QuestionKind::kMenu) {
      offered_menus_.insert(node);
      continue;
    }
    const SymbolId symbol = tree.menu(node).symbol;
    asked_.insert(symbol);
    Offer& offer = offers_[kind == QuestionKind::kChoice ? asked.choice : symbol];
    ++offer.times;
    if (kind == QuestionKind::kChoice) {
      offer.values.insert(item.key);
    } else if (kind == QuestionKind::kValue) {
      offer.values.insert(RangeKey(item.lowest, item.highest));
    } else {
      offer.values.insert(item.allowed.begin(), item.allowed.end());
    }
  }
}

std::optional<KconfigQuestion> WalkAgenda::NextIn(const Configuration& configuration,
                                                  MenuId menu) const {
  kconfig::MenuPage page = PageOf(*index_, configuration, menu);
  std::erase_if(page.questions,
                [&](const kconfig::Question& question) { return !IsNew(configuration, question); });
  std::vector<KconfigQuestion> questions = QuestionsOf(configuration, page, max_items_);
  if (questions.empty()) return std::nullopt;
  return std::move(questions.front());
}

std::vector<MenuId> WalkAgenda::Below(const Configuration& configuration, MenuId menu) {
  const kconfig::Tree& tree = index_->tree();
  std::set<MenuId> closed;
  for (const kconfig::Question& question : PageOf(*index_, configuration, menu).questions) {
    if (question.kind != kconfig::QuestionKind::kMenu) continue;
    if (opens_all_ && question.inside > 0) opened_.insert(question.menu);
    if (IsAskedAsMenu(question) && !opened_.contains(question.menu)) closed.insert(question.menu);
  }
  std::vector<MenuId> below;
  for (MenuId at = tree.menu(menu).first_child; at != kNone; at = tree.menu(at).next) {
    if (tree.menu(at).first_child != kNone && !closed.contains(at)) below.push_back(at);
  }
  return below;
}

}  // namespace hone::agent
