// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/kconfig/language/diagnostic.h"
#include "hone/kconfig/language/dialect.h"
#include "hone/kconfig/tree/expression.h"
#include "hone/kconfig/tree/names.h"
#include "hone/kconfig/tree/types.h"

namespace hone::kconfig {

// A config symbol, a constant ("y", "64", "some text"), or a choice. One that is only mentioned and
// never defined has no menu node and the type kUnknown; its value is its own name.
struct Symbol {
  std::string_view name;  // Empty for a choice without a name.
  SymbolType type = SymbolType::kUnknown;
  bool is_constant = false;
  bool is_choice = false;
  bool is_optional = false;      // A choice of which nothing need be selected.
  bool is_transitional = false;  // Read and never written.
  bool is_allno_yes = false;     // option allnoconfig_y.
  bool is_environment = false;   // option env=, defconfig_list: from outside, never written.
  SymbolId choice = kNone;       // The choice that it is a member of.

  // dependency: kNone is "always". selected_by and implied_by: kNone is "never".
  ExpressionId dependency = kNone;
  ExpressionId selected_by = kNone;
  ExpressionId implied_by = kNone;

  PropertyId first_property = 0;
  std::uint32_t property_count = 0;
  MenuId first_menu = kNone;  // Its first definition; MenuNode::next_definition has the others.

  // Where a Configuration keeps what does not fit into a tristate: the number of the choice, or of
  // the symbol among those with a text. Set by Tree.
  std::uint32_t slot = kNone;
};

enum class PropertyKind : std::uint8_t {
  kPrompt,   // text; also the title of a menu and the text of a comment
  kDefault,  // first: an expression
  kSelect,   // first: a symbol
  kImply,    // first: a symbol
  kRange,    // first, second: symbols, the lowest and the highest value
};

// One line of a definition. The condition holds everything: its own `if`, the dependencies of the
// definition and of all menus, ifs and choices around it. kNone is "always".
struct Property {
  PropertyKind kind = PropertyKind::kPrompt;
  SymbolId symbol = kNone;  // kNone for the text of a menu or comment.
  MenuId menu = kNone;
  ExpressionId condition = kNone;
  std::uint32_t first = kNone;
  std::uint32_t second = kNone;
  std::string_view text;
  Location where;
};

enum class MenuKind : std::uint8_t { kSymbol, kChoice, kMenu, kComment, kIf };

// A place in the menu tree, as menuconfig shows it: `if` blocks are emptied into their parents,
// and what depends on the entry before it lies below that entry. Node 0 is the root, a kMenu.
struct MenuNode {
  MenuKind kind = MenuKind::kSymbol;
  bool is_menuconfig = false;
  SymbolId symbol = kNone;
  SymbolId defaults_of = kNone;  // Of a configdefault, which is a kIf without children.
  MenuId parent = kNone;
  MenuId next = kNone;  // The next one with the same parent.
  MenuId first_child = kNone;
  MenuId next_definition = kNone;  // Of the same symbol.
  PropertyId prompt = kNone;
  ExpressionId dependency = kNone;  // kNone is "always".
  ExpressionId visible_if = kNone;
  std::string_view raw_help;  // As in the file; Tree::Help gives it without indentation.
  Location where;
};

// A file, each time that it is included.
struct SourceFile {
  std::string name;      // As it was asked for: "net/Kconfig".
  Location included_at;  // Of the root file: none.
};

using NamedText = std::pair<std::string, std::string>;

// One step of a dependency loop: "symbol A depends on B".
struct CycleStep {
  Location where;
  std::string text;
};

struct Choice {
  SymbolId symbol = kNone;
  std::vector<SymbolId> members;
};

// Everything that a tree is made of; filled by the parser, then handed to Tree.
struct TreeParts {
  Dialect dialect;
  LargeList<Symbol> symbols;
  NameTable names;
  ExpressionPool expressions;
  LargeList<Property> properties;  // Those of one symbol lie together, in their order.
  LargeList<MenuNode> menus;
  std::vector<SourceFile> files = {};
  std::vector<Diagnostic> diagnostics = {};
  std::vector<NamedText> environment = {};  // Variables that the files used, with their values.
  std::vector<std::string> unset_variables = {};  // And those that they asked for in vain.
  std::vector<NamedText> shell_results = {};      // Commands of $(shell,…) and what they gave.
  std::vector<Location> shell_places = {};        // Where each of them was asked for.
  std::vector<Choice> choices = {};
  std::vector<SymbolId> order = {};  // See Tree::order.
  std::vector<std::vector<CycleStep>> cycles = {};
  SymbolId modules = kSymbolNo;
  SymbolId defconfig_list = kNone;     // option defconfig_list.
  FileId recursive_inclusion = kNone;  // The file whose inclusion closed a circle.
  FileId repeated_inclusion = kNone;   // The file that was not to be read again.
  std::vector<std::shared_ptr<const void>> storage = {};  // Keeps the text that views point into.
};

// A Kconfig tree, parsed and finalised. Immutable, and so safe to share between threads; a
// Configuration is what varies.
class Tree {
 public:
  explicit Tree(TreeParts parts);
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  const TreeParts& parts() const { return parts_; }
  const Dialect& dialect() const { return parts_.dialect; }
  std::span<const Symbol> symbols() const { return parts_.symbols; }
  const Symbol& symbol(SymbolId id) const { return parts_.symbols[id]; }
  const ExpressionPool& expressions() const { return parts_.expressions; }
  const Expression& expression(ExpressionId id) const { return parts_.expressions[id]; }
  std::span<const Property> properties() const { return parts_.properties; }
  const Property& property(PropertyId id) const { return parts_.properties[id]; }
  std::span<const Property> PropertiesOf(SymbolId id) const;
  std::span<const MenuNode> menus() const { return parts_.menus; }
  const MenuNode& menu(MenuId id) const { return parts_.menus[id]; }
  std::span<const SourceFile> files() const { return parts_.files; }
  std::span<const Diagnostic> diagnostics() const { return parts_.diagnostics; }
  std::span<const NamedText> environment() const { return parts_.environment; }
  std::span<const std::string> unset_variables() const { return parts_.unset_variables; }
  std::span<const NamedText> shell_results() const { return parts_.shell_results; }
  std::span<const Location> shell_places() const { return parts_.shell_places; }

  // The symbol that switches modules on; kSymbolNo where the tree has none.
  SymbolId modules() const { return parts_.modules; }

  // The symbol of that name that is no constant; kNone if no file mentions it.
  SymbolId Find(std::string_view name) const;

  // All choices, and the members of one in their order.
  std::span<const Choice> choices() const { return parts_.choices; }
  std::span<const SymbolId> MembersOf(SymbolId choice) const {
    return parts_.choices[parts_.symbols[choice].slot].members;
  }
  // Choices are groups of bools (Linux 6.11), no symbols with a value of their own.
  bool has_groups() const { return parts_.dialect.choice_rules == ChoiceRules::kGroup; }
  bool IsGroup(SymbolId id) const { return has_groups() && symbol(id).is_choice; }
  std::uint32_t text_count() const { return text_count_; }

  // Every defined symbol and choice once, each after all that its value is computed from. A choice
  // and its members are neighbours: they are evaluated together.
  std::span<const SymbolId> order() const { return parts_.order; }
  std::uint32_t RankOf(SymbolId id) const { return ranks_[id]; }  // kNone if not in the order.

  // Symbols whose value is computed from that of `id` (not those that are only the target of a
  // select of it: their selected_by mentions `id`, so they are there too). Built on first use.
  std::span<const SymbolId> DependentsOf(SymbolId id) const;

  std::string_view title() const;  // Of the main menu.
  std::string Help(MenuId id) const;

  // "A [&& || != …] B" as the C tool prints it; `y` for kNone.
  std::string Show(ExpressionId id) const;
  std::string Show(Location where) const;                // "net/Kconfig:12"
  std::string Show(const Diagnostic& diagnostic) const;  // One line, with the include chain.

 private:
  void BuildDependents() const;

  TreeParts parts_;
  std::uint32_t text_count_ = 0;
  std::vector<std::uint32_t> ranks_;
  mutable std::once_flag dependents_built_;
  mutable std::vector<std::uint32_t> dependents_begin_;
  mutable std::vector<SymbolId> dependents_;
};

}  // namespace hone::kconfig
