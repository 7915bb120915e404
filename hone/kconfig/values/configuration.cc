// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/values/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "hone/kconfig/values/values.h"

namespace hone::kconfig {
namespace {

// A set of ranks from which the lowest is taken first.
class RankSet {
 public:
  explicit RankSet(std::size_t count) : words_((count + 63) / 64, 0), at_(words_.size()) {}

  void Add(std::uint32_t rank) {
    words_[rank / 64] |= std::uint64_t{1} << (rank % 64);
    at_ = std::min<std::size_t>(at_, rank / 64);
  }

  std::uint32_t TakeLowest() {  // kNone if it is empty.
    while (at_ < words_.size() && words_[at_] == 0) ++at_;
    if (at_ == words_.size()) return kNone;
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(words_[at_]));
    words_[at_] &= words_[at_] - 1;
    return static_cast<std::uint32_t>(at_ * 64) + bit;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t at_;
};

}  // namespace

Configuration::Configuration(std::shared_ptr<const Tree> tree)
    : tree_(std::move(tree)),
      states_(tree_->symbols().size()),
      texts_(tree_->text_count()),
      user_texts_(tree_->text_count()),
      choices_(tree_->choices().size()) {
  states_[kSymbolModule].value = Tristate::kModule;
  states_[kSymbolYes].value = Tristate::kYes;
  Evaluate();
}

std::string_view Configuration::text(SymbolId id) const {
  const Symbol& symbol = tree_->symbol(id);
  if (IsLogical(symbol.type)) return TextOf(value(id));
  if (symbol.type == SymbolType::kUnknown) return symbol.name;
  return texts_[symbol.slot].view;
}

SymbolId Configuration::Selection(SymbolId choice) const {
  return choices_[tree_->symbol(choice).slot].selection;
}

bool Configuration::CanBe(SymbolId id, Tristate wanted) const {
  const SymbolType type = EffectiveType(id);
  if (visibility(id) == Tristate::kNo || !IsLogical(type)) return false;
  if (tree_->symbol(id).is_transitional) return false;
  if (type == SymbolType::kBool && wanted == Tristate::kModule) return false;
  if (visibility(id) <= selected(id)) return false;
  if (tree_->symbol(id).choice != kNone && visibility(id) == Tristate::kYes) {
    return wanted == Tristate::kYes;
  }
  return wanted >= selected(id) && wanted <= visibility(id);
}

bool Configuration::CanBe(SymbolId id, std::string_view text) const {
  const Symbol& symbol = tree_->symbol(id);
  if (IsLogical(symbol.type)) {
    const auto wanted = ReadTristate(text.substr(0, 1));
    return wanted && CanBe(id, *wanted);
  }
  if (!IsValidText(symbol.type, text) || symbol.is_transitional) return false;
  if (symbol.type == SymbolType::kString) return true;
  const PropertyId active = ActiveProperty(id, PropertyKind::kRange);
  if (active == kNone) return true;
  const int base = BaseOf(symbol.type);
  const auto bound = [&](SymbolId limit) {
    const int own = BaseOf(tree_->symbol(limit).type);
    return NumberOf(TextOfDefault(limit).view, own == 0 ? base : own);
  };
  const Property& range = tree_->property(active);
  const long long number = NumberOf(text, base);
  return number >= bound(range.first) && number <= bound(range.second);
}

std::optional<std::string> Configuration::UserValue(SymbolId id) const {
  if (!states_[id].has_user) return std::nullopt;
  const Symbol& symbol = tree_->symbol(id);
  if (IsLogical(symbol.type)) return std::string(TextOf(states_[id].user));
  return std::string(user_texts_[symbol.slot].view);
}

void Configuration::Assign(SymbolId id, Tristate value) {
  State& state = states_[id];
  state.has_user = true;
  state.user = value;
  const SymbolId choice = tree_->symbol(id).choice;
  if (choice == kNone || !tree_->has_groups()) return;
  auto& recent = choices_[tree_->symbol(choice).slot].recent;
  std::erase(recent, id);
  recent.insert(recent.begin(), id);
}

void Configuration::AssignText(SymbolId id, std::string text) {
  Text& user = user_texts_[tree_->symbol(id).slot];
  user.owned = std::make_shared<const std::string>(std::move(text));
  user.view = *user.owned;
  states_[id].has_user = true;
}

void Configuration::AssignSelection(SymbolId choice, SymbolId member) {
  choices_[tree_->symbol(choice).slot].user_selection = member;
}

void Configuration::Forget(SymbolId id) {
  const Symbol& symbol = tree_->symbol(id);
  states_[id].has_user = false;
  states_[id].user = Tristate::kNo;
  if (symbol.type >= SymbolType::kInt) user_texts_[symbol.slot] = {};
  if (symbol.is_choice) choices_[symbol.slot].user_selection = kNone;
  if (symbol.choice == kNone) return;
  ChoiceState& choice = choices_[tree_->symbol(symbol.choice).slot];
  if (choice.user_selection == id) choice.user_selection = kNone;
  std::erase(choice.recent, id);
}

void Configuration::ForgetAll() {
  for (State& state : states_) {
    state.has_user = false;
    state.user = Tristate::kNo;
  }
  std::fill(user_texts_.begin(), user_texts_.end(), Text{});
  std::fill(choices_.begin(), choices_.end(), ChoiceState{});
}

void Configuration::Evaluate() {
  if (tree_->modules() > kSymbolYes) states_[tree_->modules()].value = Tristate::kNo;
  for (const SymbolId id : tree_->order()) {
    if (tree_->symbol(id).choice == kNone) EvaluateUnit(id);
  }
}

std::vector<SymbolId> Configuration::Set(SymbolId id, Tristate value) {
  Assign(id, value);
  const SymbolId choice = tree_->symbol(id).choice;
  if (choice != kNone && value == Tristate::kYes) {
    choices_[tree_->symbol(choice).slot].user_selection = id;
    states_[choice].has_user = true;
    for (const SymbolId member : tree_->MembersOf(choice)) {
      if (visibility(member) == Tristate::kNo) continue;
      states_[member].has_user = true;
      if (tree_->has_groups()) Assign(member, member == id ? Tristate::kYes : Tristate::kNo);
    }
  }
  return Propagate(id);
}

Result<std::vector<SymbolId>> Configuration::Set(SymbolId id, std::string_view text) {
  const Symbol& symbol = tree_->symbol(id);
  if (!IsValidText(symbol.type, text)) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: \"{}\" is no value of type {}",
                                                     symbol.name, text, NameOf(symbol.type))};
  }
  if (IsLogical(symbol.type)) return Set(id, *ReadTristate(text.substr(0, 1)));
  const bool needs_prefix =
      symbol.type == SymbolType::kHex && !text.starts_with("0x") && !text.starts_with("0X");
  AssignText(id, (needs_prefix ? "0x" : "") + std::string(text));
  return Propagate(id);
}

std::vector<SymbolId> Configuration::Unset(SymbolId id) {
  Forget(id);
  return Propagate(id);
}

std::vector<SymbolId> Configuration::Propagate(SymbolId from) {
  struct Before {
    State state;
    std::string_view text;
    std::shared_ptr<const std::string> owned;  // Keeps the old text for the comparison.
  };
  std::vector<SymbolId> changed;
  std::vector<Before> before;
  RankSet waiting(tree_->order().size());
  const auto unit_rank = [&](SymbolId id) {
    const SymbolId choice = tree_->symbol(id).choice;
    return tree_->RankOf(choice == kNone ? id : choice);
  };
  if (unit_rank(from) == kNone) return changed;
  waiting.Add(unit_rank(from));
  for (std::uint32_t rank = waiting.TakeLowest(); rank != kNone; rank = waiting.TakeLowest()) {
    const SymbolId unit = tree_->order()[rank];
    const std::size_t size =
        1 + (tree_->symbol(unit).is_choice ? tree_->MembersOf(unit).size() : 0);
    before.clear();
    for (const SymbolId id : tree_->order().subspan(rank, size)) {
      const Symbol& symbol = tree_->symbol(id);
      before.push_back({states_[id], {}, {}});
      if (symbol.type >= SymbolType::kInt) {
        before.back().text = texts_[symbol.slot].view;
        before.back().owned = texts_[symbol.slot].owned;
      }
    }
    EvaluateUnit(unit);
    for (std::size_t i = 0; i < size; ++i) {
      const SymbolId id = tree_->order()[rank + i];
      const bool has_new_value =
          before[i].state.value != states_[id].value ||
          (tree_->symbol(id).type >= SymbolType::kInt && before[i].text != text(id));
      if (has_new_value || before[i].state.is_written != states_[id].is_written) {
        changed.push_back(id);
      }
      if (!has_new_value) continue;
      for (const SymbolId reader : tree_->DependentsOf(id)) {
        const std::uint32_t next = unit_rank(reader);
        if (next > rank) waiting.Add(next);
      }
    }
  }
  return changed;
}

std::vector<SymbolId> Configuration::UnmetDependencies() const {
  std::vector<SymbolId> unmet;
  for (const SymbolId id : tree_->order()) {
    const Symbol& symbol = tree_->symbol(id);
    const bool is_plain = IsLogical(symbol.type) && !symbol.is_choice && symbol.choice == kNone;
    if (is_plain && direct(id) < selected(id)) {
      unmet.push_back(id);
    }
  }
  return unmet;
}

std::string Configuration::DefaultText(SymbolId id) const {
  const Symbol& symbol = tree_->symbol(id);
  const PropertyId active = ActiveProperty(id, PropertyKind::kDefault);
  if (!IsLogical(symbol.type)) {
    if (active == kNone)
      return tree_->dialect().has_numeric_zero_default
                 ? std::string(symbol.type == SymbolType::kInt   ? "0"
                               : symbol.type == SymbolType::kHex ? "0x0"
                                                                 : "")
                 : std::string();
    const Expression& source = node(tree_->property(active).first);
    if (source.operation != Operation::kSymbol) return {};
    return std::string(TextOfDefault(source.left).view);
  }
  Tristate result = Tristate::kNo;
  if (active != kNone) {
    const Property& property = tree_->property(active);
    result = And(Evaluate(property.first), Evaluate(property.condition));
  }
  result = Or(result, selected(id));
  const bool is_bool = symbol.type == SymbolType::kBool || (symbol.choice == kNone && !IsModular());
  if (result == Tristate::kModule && is_bool) result = Tristate::kYes;
  return std::string(TextOf(Or(result, implied(id))));
}

bool Configuration::IsVisible(MenuId menu) const {
  const MenuNode& at = tree_->menu(menu);
  if (at.prompt == kNone) return false;
  if (at.visible_if != kNone && Evaluate(at.visible_if) == Tristate::kNo) return false;
  const Property& prompt = tree_->property(at.prompt);
  Tristate visible = Evaluate(prompt.condition);
  const Symbol* symbol = at.symbol == kNone ? nullptr : &tree_->symbol(at.symbol);
  if (symbol != nullptr && symbol->choice != kNone && symbol->type == SymbolType::kTristate &&
      visible == Tristate::kModule && value(symbol->choice) == Tristate::kYes) {
    visible = Tristate::kNo;
  }
  if (visible != Tristate::kNo) return true;
  if (symbol == nullptr || value(at.symbol) == Tristate::kNo || tree_->IsGroup(at.symbol)) {
    return false;
  }
  for (MenuId child = at.first_child; child != kNone; child = tree_->menu(child).next) {
    if (IsVisible(child)) return true;
  }
  return false;
}

}  // namespace hone::kconfig
