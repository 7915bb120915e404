// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/kconfig/language/text_arena.h"
#include "hone/kconfig/tree/tree.h"

namespace hone::kconfig {

// Where the properties of a menu node lie while the tree is built: together, in the order of the
// files.
struct PropertyRange {
  PropertyId first = 0;
  std::uint32_t count = 0;
};

// What the parser fills and Finalise turns into a Tree.
class TreeBuilder {
 public:
  explicit TreeBuilder(Dialect dialect);

  SymbolId Lookup(std::string_view name, bool is_constant);
  std::string_view Keep(std::string_view text) { return kept_->Copy(text); }
  SymbolId LookupChoice(std::string_view name);  // A new one if the name is empty.

  // Appends a node to the innermost open block and makes it current.
  MenuId AddNode(MenuKind kind, SymbolId symbol, Location where);
  void OpenBlock();  // The current node takes what follows as its children.
  void CloseBlock();
  MenuId block() const { return blocks.back().menu; }
  std::size_t depth() const { return blocks.size(); }

  // To the current node.
  Property& AddProperty(PropertyKind kind, ExpressionId condition, Location where);
  void AddPrompt(std::string_view text, ExpressionId condition, Location where, bool is_symbol);
  void AddDependency(ExpressionId expression);
  void SetType(SymbolType type);
  MenuNode& current() { return nodes[current_node]; }
  std::span<Property> PropertiesOf(MenuId node) {
    return std::span(properties).subspan(ranges[node].first, ranges[node].count);
  }

  void Report(Severity severity, Location where, std::string message);
  void Refuse(Location where, std::string message);  // An error of the whole, not of its grammar.

  struct Block {
    MenuId menu;
    MenuId last_child;
  };

  TreeParts parts;  // Without properties, menus, choices and order.
  LargeList<Property> properties;
  LargeList<MenuNode> nodes;
  std::vector<PropertyRange> ranges;  // Of each node.
  std::vector<Block> blocks;
  std::vector<MenuId> finished;  // Nodes with a symbol, in the order in which they were finalised.
  MenuId current_node = 0;
  std::size_t errors = 0;

 private:
  std::size_t untold_ = 0;
  std::shared_ptr<TextArena> kept_;
};

// What is shown of a type in messages of the C tool.
std::string_view CNameOf(SymbolType type);

}  // namespace hone::kconfig
