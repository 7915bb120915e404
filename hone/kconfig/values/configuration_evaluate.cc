// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hone/kconfig/values/configuration.h"
#include "hone/kconfig/values/values.h"

// How values come about: the part of Configuration that computes them.
namespace hone::kconfig {
Tristate Configuration::Evaluate(ExpressionId id) const {
  if (id == kNone) return Tristate::kYes;
  // Down the left operands of a chain in a loop, so that a long one needs no stack.
  const Expression* at = &node(id);
  Tristate result{};
  switch (at->operation) {
    case Operation::kSymbol:
      return value(at->left);
    case Operation::kNot:
      return Not(Evaluate(at->left));
    case Operation::kAnd:
      result = Tristate::kYes;
      for (; at->operation == Operation::kAnd; at = &node(at->left)) {
        const Expression& right = node(at->right);
        result = And(result, right.operation == Operation::kSymbol ? value(right.left)
                                                                   : Evaluate(at->right));
        if (result == Tristate::kNo) return result;
        id = at->left;
      }
      return And(result, Evaluate(id));
    case Operation::kOr:
      result = Tristate::kNo;
      for (; at->operation == Operation::kOr; at = &node(at->left)) {
        result = Or(result, Evaluate(at->right));
        if (result == Tristate::kYes) return result;
        id = at->left;
      }
      return Or(result, Evaluate(id));
    default:
      return Compare(*at) ? Tristate::kYes : Tristate::kNo;
  }
}

bool Configuration::Compare(const Expression& comparison) const {
  const SymbolType left = tree_->symbol(comparison.left).type;
  const SymbolType right = tree_->symbol(comparison.right).type;
  if (IsLogical(left) && IsLogical(right)) {
    const Tristate a = value(comparison.left);
    const Tristate b = value(comparison.right);
    if (comparison.operation == Operation::kEqual) return a == b;
    if (comparison.operation == Operation::kUnequal) return a != b;
  }
  return kconfig::Compare(comparison.operation, left, text(comparison.left), right,
                          text(comparison.right));
}

SymbolType Configuration::EffectiveType(SymbolId id) const {
  const Symbol& symbol = tree_->symbol(id);
  if (symbol.type != SymbolType::kTristate) return symbol.type;
  const bool is_member = symbol.choice != kNone && visibility(id) == Tristate::kYes;
  return is_member || !IsModular() ? SymbolType::kBool : SymbolType::kTristate;
}

// m becomes y where the symbol cannot be m.
Tristate Configuration::Limit(Tristate level, SymbolId id) const {
  if (level != Tristate::kModule) return level;
  return EffectiveType(id) == SymbolType::kBool ? Tristate::kYes : level;
}

PropertyId Configuration::ActiveProperty(SymbolId id, PropertyKind kind) const {
  const Symbol& symbol = tree_->symbol(id);
  for (std::uint32_t i = 0; i < symbol.property_count; ++i) {
    const Property& property = tree_->property(symbol.first_property + i);
    if (property.kind == kind && Evaluate(property.condition) != Tristate::kNo) {
      return symbol.first_property + i;
    }
  }
  return kNone;
}

Tristate Configuration::PromptVisibility(SymbolId id) const {
  const Symbol& symbol = tree_->symbol(id);
  const bool is_tristate = symbol.type == SymbolType::kTristate;
  // A tristate member that is only m is not there in a choice that is y.
  const bool needs_yes =
      symbol.choice != kNone && is_tristate && value(symbol.choice) == Tristate::kYes;
  Tristate visible = Tristate::kNo;
  for (const Property& property : tree_->PropertiesOf(id)) {
    if (property.kind != PropertyKind::kPrompt) continue;
    const Tristate level = Evaluate(property.condition);
    if (needs_yes && level == Tristate::kModule) continue;
    visible = Or(visible, level);
  }
  const bool has_module = is_tristate && IsModular();
  return visible == Tristate::kModule && !has_module ? Tristate::kYes : visible;
}

void Configuration::EvaluateConditions(SymbolId id) {
  const Symbol& symbol = tree_->symbol(id);
  State& state = states_[id];
  state.visible = symbol.is_transitional ? Tristate::kYes : PromptVisibility(id);
  if (symbol.choice != kNone) return;
  state.direct = Limit(Evaluate(symbol.dependency), id);
  state.selected = Tristate::kNo;
  if (symbol.selected_by != kNone) state.selected = Limit(Evaluate(symbol.selected_by), id);
  state.implied = Tristate::kNo;
  if (symbol.implied_by == kNone) return;
  if (tree_->dialect().has_strong_imply && state.direct == Tristate::kNo) return;
  state.implied = Limit(Evaluate(symbol.implied_by), id);
}

void Configuration::EvaluateSymbol(SymbolId id) {
  const Symbol& symbol = tree_->symbol(id);
  if (symbol.type == SymbolType::kUnknown) return;
  EvaluateConditions(id);
  State& state = states_[id];
  state.is_written = state.visible != Tristate::kNo;
  const bool is_carried_over = tree_->dialect().has_transitional && IsCarriedOver(id);
  if (IsLogical(symbol.type)) {
    state.value = LogicalValue(id);
    if (is_carried_over) state.user = state.value;
  } else {
    Text text = TextValue(id);
    if (is_carried_over) user_texts_[symbol.slot] = text;
    KeepInRange(id, text);
    texts_[symbol.slot] = std::move(text);
  }
  if (is_carried_over) state.has_user = true;
  if (symbol.is_choice || symbol.is_transitional || symbol.is_environment) state.is_written = false;
}

// The value comes from that of a transitional symbol in the user's .config: it counts as set by the
// user, so that nobody is asked for it.
bool Configuration::IsCarriedOver(SymbolId id) const {
  const Symbol& symbol = tree_->symbol(id);
  if (states_[id].has_user || symbol.is_choice || symbol.choice != kNone) return false;
  const PropertyId active = ActiveProperty(id, PropertyKind::kDefault);
  if (active == kNone) return false;
  const Expression& source = node(tree_->property(active).first);
  return source.operation == Operation::kSymbol && tree_->symbol(source.left).is_transitional &&
         states_[source.left].has_user;
}

Tristate Configuration::LogicalValue(SymbolId id) {
  const Symbol& symbol = tree_->symbol(id);
  State& state = states_[id];
  const bool is_member = symbol.choice != kNone;
  if (is_member && (tree_->has_groups() || visibility(id) == Tristate::kYes)) {
    return Selection(symbol.choice) == id ? Tristate::kYes : Tristate::kNo;
  }
  Tristate result = Tristate::kNo;
  if (state.visible != Tristate::kNo && state.has_user) {
    result = And(state.user, visibility(id));
    if (tree_->dialect().has_strong_imply && result == Tristate::kModule &&
        implied(id) == Tristate::kYes) {
      result = Tristate::kYes;
    }
  } else {
    if (state.selected != Tristate::kNo) state.is_written = true;
    if (!symbol.is_choice) result = DefaultValue(id);
  }
  return Limit(Or(result, selected(id)), id);
}

Tristate Configuration::DefaultValue(SymbolId id) {
  State& state = states_[id];
  Tristate result = Tristate::kNo;
  for (const Property& property : tree_->PropertiesOf(id)) {
    if (property.kind != PropertyKind::kDefault) continue;
    const Tristate condition = Evaluate(property.condition);
    if (condition == Tristate::kNo) continue;
    result = And(Evaluate(property.first), condition);
    if (result != Tristate::kNo || tree_->dialect().writes_default_no) state.is_written = true;
    break;
  }
  if (state.implied != Tristate::kNo) {
    state.is_written = true;
    result = And(Or(result, implied(id)), direct(id));
  }
  return result;
}

Configuration::Text Configuration::TextValue(SymbolId id) {
  const Symbol& symbol = tree_->symbol(id);
  State& state = states_[id];
  if (state.visible != Tristate::kNo && state.has_user) return user_texts_[symbol.slot];
  Text text;
  if (tree_->dialect().has_numeric_zero_default) {
    if (symbol.type == SymbolType::kInt) text.view = "0";
    if (symbol.type == SymbolType::kHex) text.view = "0x0";
  }
  const PropertyId active = ActiveProperty(id, PropertyKind::kDefault);
  if (active == kNone) return text;
  const Expression& source = node(tree_->property(active).first);
  if (source.operation != Operation::kSymbol) return text;
  state.is_written = true;
  return TextOfDefault(source.left);
}

// What a symbol gives to the default of one that holds text. The text of a bool is "n" there,
// whatever its value: so has the C tool always done it.
Configuration::Text Configuration::TextOfDefault(SymbolId id) const {
  const Symbol& symbol = tree_->symbol(id);
  if (symbol.is_constant || symbol.type == SymbolType::kUnknown) return {symbol.name, nullptr};
  return IsLogical(symbol.type) ? Text{"n", nullptr} : texts_[symbol.slot];
}

void Configuration::KeepInRange(SymbolId id, Text& text) const {
  const Symbol& symbol = tree_->symbol(id);
  if (symbol.type != SymbolType::kInt && symbol.type != SymbolType::kHex) return;
  const PropertyId active = ActiveProperty(id, PropertyKind::kRange);
  if (active == kNone) return;
  const int base = BaseOf(symbol.type);
  const auto bound = [&](SymbolId limit) {
    const int own = BaseOf(tree_->symbol(limit).type);
    return NumberOf(TextOfDefault(limit).view, own == 0 ? base : own);
  };
  const Property& range = tree_->property(active);
  const long long number = NumberOf(text.view, base);
  if (number < bound(range.first)) {
    text = TextOfDefault(range.first);
  } else if (number > bound(range.second)) {
    text = TextOfDefault(range.second);
  }
}

void Configuration::EvaluateUnit(SymbolId id) {
  const Symbol& symbol = tree_->symbol(id);
  if (symbol.choice != kNone) return EvaluateUnit(symbol.choice);
  if (!symbol.is_choice) return EvaluateSymbol(id);
  EvaluateChoice(id);
  for (const SymbolId member : tree_->MembersOf(id)) EvaluateSymbol(member);
}

void Configuration::EvaluateChoice(SymbolId choice) {
  ChoiceState& state = choices_[tree_->symbol(choice).slot];
  EvaluateSymbol(choice);
  state.selection = kNone;
  if (!tree_->has_groups() && value(choice) != Tristate::kYes) return;
  for (const SymbolId member : tree_->MembersOf(choice)) {
    states_[member].visible = PromptVisibility(member);
  }
  if (tree_->has_groups()) {
    // The members alone decide; the choice itself is there if one of them is.
    state.selection = SelectByRecency(choice);
    states_[choice].value = state.selection == kNone ? Tristate::kNo : Tristate::kYes;
    return;
  }
  const SymbolId wanted = state.user_selection;
  state.selection =
      wanted != kNone && visibility(wanted) != Tristate::kNo ? wanted : ChoiceDefault(choice);
  if (state.selection == kNone) states_[choice].value = Tristate::kNo;
}

// The latest member set to y that is visible; else the default, unless the user said n to it; else
// the first visible one that the user said nothing about; else the one negated longest ago.
SymbolId Configuration::SelectByRecency(SymbolId choice) const {
  const ChoiceState& state = choices_[tree_->symbol(choice).slot];
  const auto is_visible = [&](SymbolId id) { return visibility(id) != Tristate::kNo; };
  for (const SymbolId member : state.recent) {
    if (is_visible(member) && states_[member].has_user && states_[member].user != Tristate::kNo) {
      return member;
    }
  }
  const SymbolId usual = ChoiceDefault(choice);
  if (usual != kNone && !states_[usual].has_user) return usual;
  for (const SymbolId member : tree_->MembersOf(choice)) {
    if (is_visible(member) && !states_[member].has_user) return member;
  }
  for (auto member = state.recent.rbegin(); member != state.recent.rend(); ++member) {
    if (is_visible(*member)) return *member;
  }
  return usual;
}

SymbolId Configuration::ChoiceDefault(SymbolId choice) const {
  for (const Property& property : tree_->PropertiesOf(choice)) {
    if (property.kind != PropertyKind::kDefault) continue;
    if (Evaluate(property.condition) == Tristate::kNo) continue;
    const Expression& wanted = node(property.first);
    if (wanted.operation == Operation::kSymbol && visibility(wanted.left) != Tristate::kNo) {
      return wanted.left;
    }
  }
  for (const SymbolId member : tree_->MembersOf(choice)) {
    if (visibility(member) != Tristate::kNo) return member;
  }
  return kNone;
}

}  // namespace hone::kconfig
