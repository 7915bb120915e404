// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/solver_encoding.h"

#include <algorithm>

#include "hone/kconfig/reason/solver_choice.h"
#include "hone/kconfig/values/values.h"

namespace hone::kconfig {
namespace {

constexpr Level kUnseen{0, 0};

Level LevelOfValue(Tristate value) {
  if (value == Tristate::kNo) return kLevelNo;
  return value == Tristate::kYes ? kLevelYes : kLevelModule;
}

}  // namespace

Encoding::Encoding(const TreeIndex& index, const Configuration& start, TextDomains& domains,
                   const std::unordered_set<SymbolId>& fixed, SatSolver& sat, bool has_guards)
    : index_(index),
      tree_(index.tree()),
      start_(start),
      domains_(domains),
      fixed_(fixed),
      gates_(sat),
      has_guards_(has_guards),
      values_(tree_.symbols().size(), kUnseen),
      expressions_(tree_.expressions().size(), kUnseen),
      defined_(tree_.symbols().size(), 0) {
  values_[kSymbolNo] = kLevelNo;
  values_[kSymbolModule] = kLevelModule;
  values_[kSymbolYes] = kLevelYes;
}

Literal Encoding::NewGuard(SymbolId id, Side side) {
  if (!has_guards_) return kTrueLiteral;
  guards_.push_back({gates_.sat().NewVariable(), id, side});
  return guards_.back().literal;
}

void Encoding::Mention(SymbolId id) {
  if (index_.IsDefined(id)) mentioned_.push_back(id);
}

// A tristate is two literals, "at least m" and "y": && and || are then gates on each by itself.
// What no file defines is n, and so is every text. The variables exist before the rule does:
// rules refer to each other, in circles too, and many are never needed.
Level Encoding::ValueOf(SymbolId id) {
  Level& value = values_[id];
  if (value != kUnseen) return value;
  const Symbol& symbol = tree_.symbol(id);
  if (symbol.is_constant || (!IsLogical(symbol.type) && index_.IsDefined(id))) {
    return value = kLevelNo;
  }
  if (!index_.IsDefined(id)) {
    if (!has_guards_) return value = kLevelNo;
    value.some = value.full = gates_.sat().NewVariable();
    gates_.Implies(NewGuard(id, Side::kMax), value.some, kFalseLiteral);
    return value;
  }
  value.some = gates_.sat().NewVariable();
  value.full = symbol.type == SymbolType::kBool ? value.some : gates_.sat().NewVariable();
  gates_.Implies(kTrueLiteral, value.full, value.some);
  Mention(id);
  return values_[id];
}

const std::vector<Option>& Encoding::TextsOf(SymbolId id) {
  const auto known = texts_.find(id);
  if (known != texts_.end()) return known->second;
  std::vector<Option> options;
  std::vector<Literal> literals;
  for (const std::string& text : domains_.Of(id)) {
    options.push_back({text, gates_.sat().NewVariable()});
    literals.push_back(options.back().literal);
  }
  gates_.ExactlyOne(kTrueLiteral, literals);
  Mention(id);
  return texts_.emplace(id, std::move(options)).first->second;
}

std::vector<Option> Encoding::OptionsOf(SymbolId id) {
  const Symbol& symbol = tree_.symbol(id);
  if (IsLogical(symbol.type) && (index_.IsDefined(id) || symbol.is_constant)) {
    const Level value = ValueOf(id);
    std::vector<Option> options = {{"n", -value.some}, {"y", value.full}};
    if (value.some != value.full) options.push_back({"m", gates_.AllOf({value.some, -value.full})});
    return options;
  }
  if (!index_.IsDefined(id)) return {{std::string(symbol.name), kTrueLiteral}};
  return TextsOf(id);
}

Literal Encoding::Compare(const Expression& comparison) {
  const SymbolType left_type = tree_.symbol(comparison.left).type;
  const SymbolType right_type = tree_.symbol(comparison.right).type;
  std::vector<Literal> cases;
  const std::vector<Option> lefts = OptionsOf(comparison.left);
  for (const Option& right : OptionsOf(comparison.right)) {
    for (const Option& left : lefts) {
      if (left.literal == kFalseLiteral || right.literal == kFalseLiteral) continue;
      if (!kconfig::Compare(comparison.operation, left_type, left.text, right_type, right.text)) {
        continue;
      }
      cases.push_back(gates_.AllOf({left.literal, right.literal}));
    }
  }
  return gates_.AnyOf(cases);
}

// A long chain of && or || is one gate; parts of it that are known already stay as they are.
Level Encoding::ChainOf(ExpressionId id) {
  const Operation operation = tree_.expression(id).operation;
  std::vector<Literal> some;
  std::vector<Literal> full;
  const auto add = [&](Level level) {
    some.push_back(level.some);
    full.push_back(level.full);
  };
  ExpressionId at = id;
  while (tree_.expression(at).operation == operation && expressions_[at] == kUnseen) {
    add(LevelOf(tree_.expression(at).right));
    at = tree_.expression(at).left;
  }
  add(LevelOf(at));
  if (operation == Operation::kAnd) return {gates_.AllOf(some), gates_.AllOf(full)};
  return {gates_.AnyOf(some), gates_.AnyOf(full)};
}

Level Encoding::LevelOf(ExpressionId id) {
  if (id == kNone) return kLevelYes;
  if (expressions_[id] != kUnseen) return expressions_[id];
  const Expression& expression = tree_.expression(id);
  Level level;
  if (expression.operation == Operation::kSymbol) {
    level = ValueOf(expression.left);
  } else if (expression.operation == Operation::kNot) {
    level = Negate(LevelOf(expression.left));
  } else if (IsComparison(expression.operation)) {
    level.some = level.full = Compare(expression);
  } else {
    level = ChainOf(id);
  }
  return expressions_[id] = level;
}

std::vector<Literal> Encoding::IsValue(SymbolId id, const std::string& value) {
  if (IsLogical(tree_.symbol(id).type)) {
    const Level level = ValueOf(id);
    if (value == "n") return {-level.some};
    if (value == "y") return {level.full};
    return {level.some, -level.full};
  }
  const SymbolType type = tree_.symbol(id).type;
  std::vector<Literal> same;
  for (const Option& option : TextsOf(id)) {
    if (IsSameValue(type, option.text, value)) same.push_back(option.literal);
  }
  return {gates_.AnyOf(same)};
}

std::vector<Literal> Encoding::NowOf(SymbolId id) {
  return IsValue(id, std::string(start_.text(id)));
}

Literal Encoding::Modules() { return ValueOf(tree_.modules()).some; }

// m is y for what is no tristate, and for everything while modules are off.
Level Encoding::Promote(SymbolId id, Level level) {
  if (tree_.symbol(id).type != SymbolType::kTristate) return {level.some, level.some};
  if (level.some == level.full) return level;
  return {level.some, gates_.AnyOf({level.full, gates_.AllOf({level.some, -Modules()})})};
}

Level Encoding::PromptsOf(SymbolId id) {
  if (tree_.symbol(id).is_transitional) return kLevelYes;
  Level visible = kLevelNo;
  for (const Property& property : tree_.PropertiesOf(id)) {
    if (property.kind != PropertyKind::kPrompt) continue;
    visible = gates_.AnyOf(visible, LevelOf(property.condition));
  }
  return Promote(id, visible);
}

// The first default whose condition is not n.
Level Encoding::DefaultOf(SymbolId id) {
  const auto properties = tree_.PropertiesOf(id);
  Level value = kLevelNo;
  for (auto property = properties.rbegin(); property != properties.rend(); ++property) {
    if (property->kind != PropertyKind::kDefault) continue;
    const Level condition = LevelOf(property->condition);
    value = gates_.Choose(condition.some, gates_.AllOf(LevelOf(property->first), condition), value);
  }
  return value;
}

// What the symbol is without a user value, selects aside.
Level Encoding::UnsetOf(SymbolId id) {
  const Symbol& symbol = tree_.symbol(id);
  const Level value = DefaultOf(id);
  if (symbol.implied_by == kNone) return value;
  const Level implied = Promote(id, LevelOf(symbol.implied_by));
  const Level direct = Promote(id, LevelOf(symbol.dependency));
  return gates_.Choose(implied.some, gates_.AllOf(gates_.AnyOf(value, implied), direct), value);
}

// The user value: as at the start, or another at the price of one change. Only what is visible can
// be changed, because a solution must be one that a user can enter. So may what must keep its
// value: where its default moves, it is kept by being set.
Level Encoding::UserOf(SymbolId id, Level visible, Literal* is_set) {
  const bool was_set = start_.has_user_value(id);
  const std::string before = start_.UserValue(id).value_or("n");
  const Level old = LevelOfValue(before == "y"   ? Tristate::kYes
                                 : before == "m" ? Tristate::kModule
                                                 : Tristate::kNo);
  *is_set = was_set ? kTrueLiteral : kFalseLiteral;
  if (!index_.HasPrompt(id)) return old;
  SatSolver& sat = gates_.sat();
  UserChange change{.symbol = id, .changed = sat.NewVariable(), .options = {}, .members = {}};
  Level wanted;
  wanted.some = sat.NewVariable();
  wanted.full = tree_.symbol(id).type == SymbolType::kBool ? wanted.some : sat.NewVariable();
  gates_.Implies(kTrueLiteral, wanted.full, wanted.some);
  change.options = {{"n", -wanted.some}, {"y", wanted.full}};
  if (wanted.some != wanted.full) {
    change.options.push_back({"m", gates_.AllOf({wanted.some, -wanted.full})});
  }
  // A change that does nothing is none, and more than what is allowed is not asked for.
  gates_.Implies(kTrueLiteral, change.changed, visible.some);
  gates_.Implies(change.changed, wanted.full, visible.full);
  for (const Option& option : change.options) {
    if (was_set && option.text == before) {
      gates_.Implies(kTrueLiteral, change.changed, -option.literal);
    }
  }
  const Literal changed = change.changed;
  changes_.push_back(std::move(change));
  *is_set = gates_.AnyOf({changed, *is_set});
  return gates_.Choose(changed, wanted, old);
}

Level Encoding::WithUser(SymbolId id, Level visible, Level otherwise) {
  Literal is_set = kFalseLiteral;
  const Level user = UserOf(id, visible, &is_set);
  Level limited = gates_.AllOf(user, visible);
  const ExpressionId implied_by = tree_.symbol(id).implied_by;
  if (tree_.dialect().has_strong_imply && implied_by != kNone) {
    const Literal is_implied = Promote(id, LevelOf(implied_by)).full;
    limited.full = gates_.AnyOf({limited.full, gates_.AllOf({limited.some, is_implied})});
  }
  return gates_.Choose(gates_.AllOf({visible.some, is_set}), limited, otherwise);
}

Level Encoding::PlainValueOf(SymbolId id) {
  const Symbol& symbol = tree_.symbol(id);
  Level value = WithUser(id, PromptsOf(id), UnsetOf(id));
  if (symbol.selected_by != kNone) {
    value = gates_.AnyOf(value, Promote(id, LevelOf(symbol.selected_by)));
  }
  return Promote(id, value);
}

void Encoding::DefineLogical(SymbolId id) {
  const Symbol& symbol = tree_.symbol(id);
  Level rule;
  if (symbol.is_choice || symbol.choice != kNone) {
    rule = ChoiceEncoding(*this).ValueOf(id);
  } else {
    rule = PlainValueOf(id);
  }
  const Level value = ValueOf(id);
  const Literal max = NewGuard(id, Side::kMax);
  const Literal min = NewGuard(id, Side::kMin);
  gates_.Implies(max, value.some, rule.some);
  gates_.Implies(min, rule.some, value.some);
  if (value.some == value.full) return;
  gates_.Implies(max, value.full, rule.full);
  gates_.Implies(min, rule.full, value.full);
}

void Encoding::Define(SymbolId id) {
  if (defined_[id] != 0 || !index_.IsDefined(id)) return;
  defined_[id] = 1;
  order_.push_back(id);
  if (IsLogical(tree_.symbol(id).type)) {
    DefineLogical(id);
  } else {
    DefineText(id);
  }
}

}  // namespace hone::kconfig
