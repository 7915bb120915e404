// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/tree/builder.h"

#include <fmt/format.h>

#include <cctype>

namespace hone::kconfig {
namespace {

// A binary file gives a warning for every byte; nobody reads more than these.
constexpr std::size_t kMaxDiagnostics = 10'000;
constexpr std::size_t kLongestMessage = 4000;

}  // namespace

TreeBuilder::TreeBuilder(Dialect dialect) : kept_(std::make_shared<TextArena>()) {
  parts.storage.push_back(kept_);
  parts.dialect = std::move(dialect);
  parts.symbols.reserve(65'536);
  nodes.reserve(65'536);
  ranges.reserve(32'768);
  properties.reserve(131'072);
  for (const char* name : {"n", "m", "y"}) {
    Symbol& symbol = parts.symbols.emplace_back();
    symbol.name = name;
    symbol.type = SymbolType::kTristate;
    symbol.is_constant = true;
  }
  nodes.emplace_back().kind = MenuKind::kMenu;
  ranges.emplace_back();
  blocks.push_back({0, kNone});
}

SymbolId TreeBuilder::Lookup(std::string_view name, bool is_constant) {
  if (name.size() == 1) {
    if (name[0] == 'n') return kSymbolNo;
    if (name[0] == 'm') return kSymbolModule;
    if (name[0] == 'y') return kSymbolYes;
  }
  return parts.names.FindOrAdd(name, is_constant, parts.symbols);
}

SymbolId TreeBuilder::LookupChoice(std::string_view name) {
  if (!name.empty()) {
    for (const Choice& choice : parts.choices) {
      if (parts.symbols[choice.symbol].name == name) return choice.symbol;
    }
  }
  const auto id = static_cast<SymbolId>(parts.symbols.size());
  Symbol& symbol = parts.symbols.emplace_back();
  symbol.name = name;
  symbol.is_choice = true;
  parts.choices.push_back({id, {}});
  return id;
}

MenuId TreeBuilder::AddNode(MenuKind kind, SymbolId symbol, Location where) {
  const auto id = static_cast<MenuId>(nodes.size());
  MenuNode& node = nodes.emplace_back();
  ranges.emplace_back();
  node.kind = kind;
  node.symbol = symbol;
  node.where = where;
  Block& parent = blocks.back();
  node.parent = parent.menu;
  if (parent.last_child == kNone) {
    nodes[parent.menu].first_child = id;
  } else {
    nodes[parent.last_child].next = id;
  }
  parent.last_child = id;
  current_node = id;
  return id;
}

void TreeBuilder::OpenBlock() { blocks.push_back({current_node, kNone}); }

void TreeBuilder::CloseBlock() { blocks.pop_back(); }

Property& TreeBuilder::AddProperty(PropertyKind kind, ExpressionId condition, Location where) {
  PropertyRange& range = ranges[current_node];
  if (range.count == 0) range.first = static_cast<PropertyId>(properties.size());
  ++range.count;
  Property& property = properties.emplace_back();
  property.kind = kind;
  property.symbol = current().symbol;
  property.menu = current_node;
  property.condition = condition;
  property.where = where;
  return property;
}

void TreeBuilder::AddPrompt(std::string_view text, ExpressionId condition, Location where,
                            bool is_symbol) {
  if (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])) != 0) {
    Report(Severity::kWarning, where, "leading whitespace ignored");
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])) != 0) {
      text.remove_prefix(1);
    }
  }
  if (current().prompt != kNone) Report(Severity::kWarning, where, "prompt redefined");
  if (is_symbol) {  // All `visible if` of the menus around it.
    for (MenuId menu = current().parent; menu != kNone; menu = nodes[menu].parent) {
      condition = parts.expressions.And(condition, nodes[menu].visible_if);
    }
  }
  AddProperty(PropertyKind::kPrompt, condition, where).text = text;
  current().prompt = static_cast<PropertyId>(properties.size() - 1);
}

void TreeBuilder::AddDependency(ExpressionId expression) {
  current().dependency = parts.expressions.And(current().dependency, expression);
}

void TreeBuilder::SetType(SymbolType type) {
  Symbol& symbol = parts.symbols[current().symbol];
  if (symbol.type == type) return;
  if (symbol.type == SymbolType::kUnknown) {
    symbol.type = type;
    return;
  }
  Report(Severity::kWarning, current().where,
         fmt::format("ignoring type redefinition of '{}' from '{}' to '{}'",
                     symbol.name.empty() ? "<choice>" : symbol.name, CNameOf(symbol.type),
                     CNameOf(type)));
}

void TreeBuilder::Report(Severity severity, Location where, std::string message) {
  if (severity == Severity::kError) ++errors;
  if (message.size() > kLongestMessage) {
    message.resize(kLongestMessage);
    message += "…";
  }
  if (parts.diagnostics.size() < kMaxDiagnostics) {
    parts.diagnostics.push_back({severity, where, std::move(message), false});
    return;
  }
  ++untold_;
  parts.diagnostics.back() = {errors > 0 ? Severity::kError : Severity::kWarning, where,
                              fmt::format("{} more messages like these", untold_), false};
}

void TreeBuilder::Refuse(Location where, std::string message) {
  Report(Severity::kError, where, std::move(message));
  parts.diagnostics.back().is_rule = true;
}

std::string_view CNameOf(SymbolType type) {
  return type == SymbolType::kInt ? "integer" : NameOf(type);
}

}  // namespace hone::kconfig
