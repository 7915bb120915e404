// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/kconfig/tree/tree.h"

namespace hone::kconfig {

// What the user asked for, and the value of every symbol that follows from it. Many configurations
// share one Tree; a copy is a snapshot (about 150 kB for Linux) that changes on its own. One
// configuration is for one thread at a time.
class Configuration {
 public:
  explicit Configuration(std::shared_ptr<const Tree> tree);

  const Tree& tree() const { return *tree_; }
  const std::shared_ptr<const Tree>& shared_tree() const { return tree_; }

  // The value: of a bool, tristate or choice (of others n), and as text of any symbol.
  Tristate value(SymbolId id) const { return states_[id].value; }
  std::string_view text(SymbolId id) const;

  // The most that a user value can reach now; n if no prompt is visible.
  Tristate visibility(SymbolId id) const { return states_[id].visible; }
  Tristate direct(SymbolId id) const { return states_[id].direct; }
  Tristate selected(SymbolId id) const { return states_[id].selected; }
  Tristate implied(SymbolId id) const { return states_[id].implied; }
  bool is_written(SymbolId id) const { return states_[id].is_written; }

  // A tristate counts as a bool while modules are off, and as a member of a choice that is y.
  SymbolType EffectiveType(SymbolId id) const;
  SymbolId Selection(SymbolId choice) const;  // kNone if the choice is not y.
  SymbolId ChoiceDefault(SymbolId choice) const;

  // What the user chose, whether visible or not: the member set to y (ChoiceRules::kSymbol; kNone
  // if there is none), and all members that were set, the latest first (ChoiceRules::kGroup).
  SymbolId UserSelection(SymbolId choice) const {
    return choices_[tree_->symbol(choice).slot].user_selection;
  }
  const std::vector<SymbolId>& RecentMembers(SymbolId choice) const {
    return choices_[tree_->symbol(choice).slot].recent;
  }

  // True if the user can move the symbol at all, and to this value, with what is set now. Never of
  // a transitional symbol: only a .config sets it.
  bool IsChangeable(SymbolId id) const {
    return visibility(id) > selected(id) && !tree_->IsGroup(id) &&
           !tree_->symbol(id).is_transitional;
  }
  bool CanBe(SymbolId id, Tristate value) const;
  bool CanBe(SymbolId id, std::string_view text) const;

  bool has_user_value(SymbolId id) const { return states_[id].has_user; }
  std::optional<std::string> UserValue(SymbolId id) const;

  // Sets or takes back a user value, evaluates what depends on it and returns the symbols whose
  // value, or whose place in the .config, changed. Nothing is checked: as with a .config, a user
  // value that cannot hold now is kept and has no effect. A member of a choice set to y becomes
  // its selection. A text that the type does not allow is an Error. What a symbol takes from the
  // user value of a transitional one becomes its own user value, here and in Evaluate.
  std::vector<SymbolId> Set(SymbolId id, Tristate value);
  Result<std::vector<SymbolId>> Set(SymbolId id, std::string_view text);
  std::vector<SymbolId> Unset(SymbolId id);

  // The same in bulk: assign, then Evaluate once. Values are stale in between.
  void Assign(SymbolId id, Tristate value);
  void AssignText(SymbolId id, std::string text);
  void AssignSelection(SymbolId choice, SymbolId member);
  void Forget(SymbolId id);  // Takes the user value back.

  // Whether the mode of a choice counts as set by the user. What was set stays, and so does the
  // selection.
  void MarkAnswered(SymbolId choice, bool is_answered) { states_[choice].has_user = is_answered; }
  void ForgetAll();
  void Evaluate();

  // The value of the symbol alone (of a choice with its members), from the others as they stand.
  void EvaluateUnit(SymbolId id);

  // Now, and with the conditions as they are now.
  Tristate Evaluate(ExpressionId id) const;

  // What the symbol would be without a user value, as savedefconfig asks.
  std::string DefaultText(SymbolId id) const;

  bool IsVisible(MenuId menu) const;

  // Symbols that a select holds above what their own dependencies allow.
  std::vector<SymbolId> UnmetDependencies() const;

  // The first property of that kind whose condition holds now; kNone if there is none.
  PropertyId ActiveProperty(SymbolId id, PropertyKind kind) const;

 private:
  // Packed: a configuration has one for each symbol.
  struct State {
    Tristate value : 2 = Tristate::kNo;
    Tristate visible : 2 = Tristate::kNo;
    Tristate direct : 2 = Tristate::kNo;
    Tristate selected : 2 = Tristate::kNo;
    Tristate implied : 2 = Tristate::kNo;
    Tristate user : 2 = Tristate::kNo;
    bool has_user : 1 = false;
    bool is_written : 1 = false;
  };
  // A value that is text: a view into the tree, or a text of its own.
  struct Text {
    std::string_view view;
    std::shared_ptr<const std::string> owned;
  };
  struct ChoiceState {
    SymbolId user_selection = kNone;
    SymbolId selection = kNone;
    std::vector<SymbolId> recent;  // Members that were set, the latest first (ChoiceRules::kGroup).
  };

  const Expression& node(ExpressionId id) const { return tree_->expression(id); }
  bool IsModular() const { return value(tree_->modules()) != Tristate::kNo; }
  Tristate Limit(Tristate level, SymbolId id) const;
  bool Compare(const Expression& node) const;
  Tristate PromptVisibility(SymbolId id) const;
  void EvaluateSymbol(SymbolId id);
  void EvaluateConditions(SymbolId id);
  Tristate LogicalValue(SymbolId id);
  Tristate DefaultValue(SymbolId id);
  bool IsCarriedOver(SymbolId id) const;
  Text TextValue(SymbolId id);
  void KeepInRange(SymbolId id, Text& text) const;
  Text TextOfDefault(SymbolId id) const;
  void EvaluateChoice(SymbolId choice);
  SymbolId SelectByRecency(SymbolId choice) const;
  std::vector<SymbolId> Propagate(SymbolId from);

  std::shared_ptr<const Tree> tree_;
  std::vector<State> states_;         // By symbol.
  std::vector<Text> texts_;           // By text slot of the tree: the value.
  std::vector<Text> user_texts_;      // By text slot: what the user set.
  std::vector<ChoiceState> choices_;  // By index of the choice.
};

}  // namespace hone::kconfig
