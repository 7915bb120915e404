// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/solver_choice.h"

#include <algorithm>

namespace hone::kconfig {

Level ChoiceEncoding::ValueOf(SymbolId id) {
  if (!tree_.symbol(id).is_choice) return MemberValueOf(id);
  const Level mode = tree_.has_groups() ? kLevelYes : ModeOf(id);
  // A choice that is y and has nothing to select is n.
  std::vector<Literal> visible;
  for (const SymbolId member : tree_.MembersOf(id)) {
    visible.push_back(PromptsOf(member, mode).some);
  }
  const Literal is_empty = gates_.AllOf({mode.full, -gates_.AnyOf(visible)});
  return {gates_.AllOf({mode.some, -is_empty}), gates_.AllOf({mode.full, -is_empty})};
}

// Before members are looked at.
Level ChoiceEncoding::ModeOf(SymbolId choice) {
  const Symbol& symbol = tree_.symbol(choice);
  const Level visible = encoding_.PromptsOf(choice);
  Level mode = kLevelNo;
  if (symbol.is_optional || symbol.type == SymbolType::kTristate) {
    mode = encoding_.WithUser(choice, visible, kLevelNo);
  }
  if (symbol.selected_by != kNone) {
    mode = gates_.AnyOf(mode, encoding_.LevelOf(symbol.selected_by));
  }
  return encoding_.Promote(choice, mode);
}

Level ChoiceEncoding::PromptsOf(SymbolId member, Level choice) {
  Level visible = kLevelNo;
  const SymbolId parent = tree_.symbol(member).choice;
  for (const Property& property : tree_.PropertiesOf(member)) {
    if (property.kind != PropertyKind::kPrompt) continue;
    Level prompt = LevelWith(property.condition, parent, choice);
    // What could be m only is not there while the choice is y.
    if (tree_.symbol(member).type == SymbolType::kTristate) {
      prompt.some = gates_.Choose(choice.full, prompt.full, prompt.some);
    }
    visible = gates_.AnyOf(visible, prompt);
  }
  return encoding_.Promote(member, visible);
}

// As Encoding::LevelOf, with `level` in place of the choice's value: members depend on their
// choice, and the choice on whether a member is visible. The value is given, so the circle is cut.
Level ChoiceEncoding::LevelWith(ExpressionId id, SymbolId choice, Level level) {
  if (id == kNone) return kLevelYes;
  const Expression& expression = tree_.expression(id);
  switch (expression.operation) {
    case Operation::kSymbol:
      return expression.left == choice ? level : encoding_.LevelOf(id);
    case Operation::kNot:
      return Negate(LevelWith(expression.left, choice, level));
    case Operation::kAnd:
      return gates_.AllOf(LevelWith(expression.left, choice, level),
                          LevelWith(expression.right, choice, level));
    case Operation::kOr:
      return gates_.AnyOf(LevelWith(expression.left, choice, level),
                          LevelWith(expression.right, choice, level));
    default:
      break;
  }
  if (expression.operation == Operation::kEqual && expression.left == choice &&
      expression.right == kSymbolYes) {
    return {level.full, level.full};
  }
  return encoding_.LevelOf(id);
}

Level ChoiceEncoding::MemberValueOf(SymbolId member) {
  const Symbol& symbol = tree_.symbol(member);
  const Level visible = PromptsOf(member, encoding_.ValueOf(symbol.choice));
  const std::vector<Literal>& selection = SelectionOf(symbol.choice);
  const auto members = tree_.MembersOf(symbol.choice);
  Literal is_selected = kFalseLiteral;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i] == member) is_selected = selection[i];
  }
  Level otherwise = tree_.has_groups() ? kLevelNo : encoding_.DefaultOf(member);
  if (symbol.type == SymbolType::kTristate && !tree_.has_groups()) {
    otherwise = encoding_.WithUser(member, visible, otherwise);
  }
  return encoding_.Promote(member,
                           gates_.Choose(visible.full, Level{is_selected, is_selected}, otherwise));
}

// What the user values of the start select, for each member.
std::vector<Literal> ChoiceEncoding::OldSelectionOf(SymbolId choice,
                                                    const std::vector<Literal>& visible) {
  const auto members = tree_.MembersOf(choice);
  const Configuration& start = encoding_.start_;
  std::vector<Literal> selected(members.size(), kFalseLiteral);
  if (!tree_.has_groups()) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i] == start.UserSelection(choice)) selected[i] = visible[i];
    }
    return selected;
  }
  Literal is_open = kTrueLiteral;
  for (const SymbolId recent : start.RecentMembers(choice)) {
    const auto i = static_cast<std::size_t>(std::find(members.begin(), members.end(), recent) -
                                            members.begin());
    if (start.UserValue(recent).value_or("n") == "n") continue;
    selected[i] = gates_.AllOf({is_open, visible[i]});
    is_open = gates_.AllOf({is_open, -visible[i]});
  }
  return selected;
}

// The same, or the member that the user picks anew.
std::vector<Literal> ChoiceEncoding::UserSelectionOf(SymbolId choice,
                                                     const std::vector<Literal>& visible) {
  const auto members = tree_.MembersOf(choice);
  std::vector<Literal> selected = OldSelectionOf(choice, visible);
  if (encoding_.fixed_.contains(choice)) return selected;
  SatSolver& sat = gates_.sat();
  UserChange change{.symbol = choice, .changed = sat.NewVariable(), .options = {}, .members = {}};
  std::vector<Literal> literals;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Literal literal = sat.NewVariable();
    gates_.Implies(change.changed, literal, visible[i]);
    change.options.push_back({std::string(tree_.symbol(members[i]).name), literal});
    change.members.push_back(members[i]);
    literals.push_back(literal);
    selected[i] = gates_.Choose(change.changed, literal, selected[i]);
  }
  gates_.ExactlyOne(change.changed, literals);
  encoding_.changes_.push_back(std::move(change));
  return selected;
}

// Where the latest member set to y decides, what is set to n is avoided: not the default then, but
// the first visible member that was never set; else the one that was set longest ago.
std::vector<Literal> ChoiceEncoding::AvoidNegated(SymbolId choice,
                                                  const std::vector<Literal>& visible,
                                                  const std::vector<Literal>& defaults) {
  const auto members = tree_.MembersOf(choice);
  const Configuration& start = encoding_.start_;
  std::vector<std::vector<Literal>> cases(members.size());
  Literal is_open = kTrueLiteral;
  const auto offer = [&](std::size_t i, Literal condition) {
    cases[i].push_back(gates_.AllOf({is_open, condition}));
    is_open = gates_.AllOf({is_open, -condition});
  };
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!start.has_user_value(members[i])) offer(i, defaults[i]);
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!start.has_user_value(members[i])) offer(i, visible[i]);
  }
  const std::vector<SymbolId>& recent = start.RecentMembers(choice);
  for (auto at = recent.rbegin(); at != recent.rend(); ++at) {
    const auto i = std::find(members.begin(), members.end(), *at) - members.begin();
    offer(static_cast<std::size_t>(i), visible[static_cast<std::size_t>(i)]);
  }
  for (std::size_t i = 0; i < members.size(); ++i) offer(i, defaults[i]);
  std::vector<Literal> selection;
  selection.reserve(cases.size());
  for (const std::vector<Literal>& of_member : cases) selection.push_back(gates_.AnyOf(of_member));
  return selection;
}

// The first default that is visible, else the first visible member.
std::vector<Literal> ChoiceEncoding::DefaultSelectionOf(SymbolId choice,
                                                        const std::vector<Literal>& visible) {
  const auto members = tree_.MembersOf(choice);
  std::vector<std::vector<Literal>> cases(members.size());
  Literal is_open = kTrueLiteral;
  const auto offer = [&](std::size_t i, Literal condition) {
    const Literal is_taken = gates_.AllOf({condition, visible[i]});
    cases[i].push_back(gates_.AllOf({is_open, is_taken}));
    is_open = gates_.AllOf({is_open, -is_taken});
  };
  for (const Property& property : tree_.PropertiesOf(choice)) {
    if (property.kind != PropertyKind::kDefault) continue;
    const Expression& value = tree_.expression(property.first);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (value.operation != Operation::kSymbol || members[i] != value.left) continue;
      offer(i, encoding_.LevelOf(property.condition).some);
    }
  }
  for (std::size_t i = 0; i < members.size(); ++i) offer(i, kTrueLiteral);
  std::vector<Literal> selection;
  selection.reserve(cases.size());
  for (const std::vector<Literal>& of_member : cases) selection.push_back(gates_.AnyOf(of_member));
  return selection;
}

// For each member, that it is the one that is y.
const std::vector<Literal>& ChoiceEncoding::SelectionOf(SymbolId choice) {
  const auto known = encoding_.selections_.find(choice);
  if (known != encoding_.selections_.end()) return known->second;
  const Level value = encoding_.ValueOf(choice);
  const auto members = tree_.MembersOf(choice);
  std::vector<Literal> visible;
  for (const SymbolId member : members) visible.push_back(PromptsOf(member, value).some);
  std::vector<Literal> selection = UserSelectionOf(choice, visible);
  const Literal is_picked = gates_.AnyOf(selection);
  std::vector<Literal> defaults = DefaultSelectionOf(choice, visible);
  if (tree_.has_groups()) {
    defaults = AvoidNegated(choice, visible, defaults);
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    selection[i] = gates_.AllOf({value.full, gates_.Choose(is_picked, selection[i], defaults[i])});
  }
  return encoding_.selections_.emplace(choice, std::move(selection)).first->second;
}

}  // namespace hone::kconfig
