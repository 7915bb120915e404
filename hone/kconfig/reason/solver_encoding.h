// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hone/kconfig/reason/solver_gates.h"
#include "hone/kconfig/reason/solver_texts.h"
#include "hone/kconfig/reason/tree_index.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

// A value that a symbol may have, and the literal that says that it has it.
struct Option {
  std::string text;
  Literal literal = kFalseLiteral;
};

// A user value that may be changed. For a choice the options are its members, by name of symbol.
struct UserChange {
  SymbolId symbol = kNone;
  Literal changed = kFalseLiteral;
  std::vector<Option> options;    // What it is changed to; exactly one holds if it is changed.
  std::vector<SymbolId> members;  // Of a choice: the member of each option.
};

// Half of what a definition says about its symbol.
enum class Side : std::uint8_t {
  kMax,  // It is no more than its prompt, defaults and selects allow.
  kMin,  // It is no less than they force.
};

// The rules of a tree as clauses, over the final value of every symbol and the user values that
// lead there from a configuration. A symbol is first only mentioned ("open": its value is free,
// and NowOf says that it stays); Define adds the rules that its value follows from, and
// mentions what they mention. What was never defined costs nothing.
class Encoding {
 public:
  // With `has_guards` every rule can be switched off, to find those that contradict each other.
  Encoding(const TreeIndex& index, const Configuration& start, TextDomains& domains,
           const std::unordered_set<SymbolId>& fixed, SatSolver& sat, bool has_guards);

  void Define(SymbolId id);
  bool IsDefined(SymbolId id) const { return defined_[id] != 0; }
  const std::vector<SymbolId>& defined() const { return order_; }

  // That the symbol has this value at the end; false for a value that it cannot have.
  std::vector<Literal> IsValue(SymbolId id, const std::string& value);

  // Symbols that are mentioned, in that order; and that one of them is what it was.
  const std::vector<SymbolId>& mentioned() const { return mentioned_; }
  std::vector<Literal> NowOf(SymbolId id);

  const std::vector<UserChange>& changes() const { return changes_; }

  struct Guard {
    Literal literal;
    SymbolId symbol;
    Side side;
  };
  const std::vector<Guard>& guards() const { return guards_; }

 private:
  friend class ChoiceEncoding;

  Level ValueOf(SymbolId id);
  const std::vector<Option>& TextsOf(SymbolId id);
  Level LevelOf(ExpressionId id);
  Level ChainOf(ExpressionId id);
  std::vector<Option> OptionsOf(SymbolId id);
  Literal Compare(const Expression& comparison);

  Literal Modules();
  Level Promote(SymbolId id, Level level);
  Level PromptsOf(SymbolId id);
  Level DefaultOf(SymbolId id);
  Level UnsetOf(SymbolId id);
  Level PlainValueOf(SymbolId id);
  Level WithUser(SymbolId id, Level visible, Level otherwise);
  Level UserOf(SymbolId id, Level visible, Literal* is_set);

  void DefineLogical(SymbolId id);
  void DefineText(SymbolId id);
  std::vector<Literal> TextBeforeRange(SymbolId id, const std::vector<std::string>& domain);
  std::vector<Literal> Clamp(SymbolId id, const std::vector<std::string>& domain,
                             const std::vector<Literal>& before);
  UserChange& AddTextChange(SymbolId id, Literal visible);
  std::string_view EmptyTextOf(SymbolId id) const;
  std::vector<Option> GivenBy(SymbolId id);
  long long BoundOf(SymbolId bound, std::string_view text, int base) const;

  Literal NewGuard(SymbolId id, Side side);
  void Mention(SymbolId id);

  const TreeIndex& index_;
  const Tree& tree_;
  const Configuration& start_;
  TextDomains& domains_;
  const std::unordered_set<SymbolId>& fixed_;  // Choices whose selection stays.
  Gates gates_;
  bool has_guards_;

  std::vector<Level> values_;          // By symbol; kFalse and kTrue are "not mentioned".
  std::vector<Level> expressions_;     // By expression; the same.
  std::vector<std::uint8_t> defined_;  // By symbol.
  std::unordered_map<SymbolId, std::vector<Option>> texts_;
  std::unordered_map<SymbolId, std::vector<Literal>> selections_;  // By choice: of its members.
  std::vector<SymbolId> order_;
  std::vector<SymbolId> mentioned_;
  std::vector<UserChange> changes_;
  std::vector<Guard> guards_;
};

}  // namespace hone::kconfig
