// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hone/kconfig/interview.h"

namespace hone::kconfig {
namespace {

std::string DescribeDefinition(const Configuration& configuration, MenuId id) {
  const Tree& tree = configuration.tree();
  const MenuNode& node = tree.menu(id);
  std::string out = fmt::format("Defined at {}\n", tree.Show(node.where));
  if (node.prompt != kNone) out += fmt::format("  Prompt: {}\n", tree.property(node.prompt).text);
  if (node.dependency != kNone) {
    out += fmt::format("  Depends on: {}\n", tree.Show(node.dependency));
  }
  if (node.prompt == kNone) return out;
  std::vector<MenuId> path;
  for (MenuId at = id; at != 0 && at != kNone; at = tree.menu(at).parent) path.push_back(at);
  out += "  Location:\n";
  int column = 4;
  for (auto at = path.rbegin(); at != path.rend(); ++at, column += 2) {
    const MenuNode& place = tree.menu(*at);
    out +=
        fmt::format("{:{}}-> {}", "", column,
                    place.prompt == kNone ? std::string_view() : tree.property(place.prompt).text);
    if (place.symbol != kNone) {
      const Symbol& symbol = tree.symbol(place.symbol);
      out += fmt::format(" ({} [={}])", symbol.name.empty() ? "<choice>" : symbol.name,
                         configuration.text(place.symbol));
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::string DescribeSymbol(const Configuration& configuration, MenuId id) {
  const Tree& tree = configuration.tree();
  const MenuNode& node = tree.menu(id);
  std::string out;
  const std::string help = tree.Help(id);
  if (help.empty()) {
    out = "There is no help available for this option.\n";
  } else {
    if (node.symbol != kNone && !tree.symbol(node.symbol).name.empty()) {
      out = fmt::format("{}{}:\n\n", tree.dialect().prefix, tree.symbol(node.symbol).name);
    }
    out += help + "\n\n";
  }
  if (node.symbol == kNone) return out;
  const Symbol& symbol = tree.symbol(node.symbol);
  if (!symbol.name.empty()) {
    out +=
        fmt::format("Symbol: {} [={}]\nType  : {}\n", symbol.name, configuration.text(node.symbol),
                    symbol.type == SymbolType::kInt ? "integer" : NameOf(symbol.type));
  }
  const PropertyId range = configuration.ActiveProperty(node.symbol, PropertyKind::kRange);
  if (range != kNone) {
    const Property& property = tree.property(range);
    out += fmt::format("Range : [{} {}]\n", tree.symbol(property.first).name,
                       tree.symbol(property.second).name);
  }
  for (const bool has_prompt : {true, false}) {
    for (MenuId at = symbol.first_menu; at != kNone; at = tree.menu(at).next_definition) {
      if ((tree.menu(at).prompt != kNone) == has_prompt)
        out += DescribeDefinition(configuration, at);
    }
  }
  if (symbol.selected_by != kNone && !symbol.is_choice) {
    out += fmt::format("Selected by [{}]: {}\n", TextOf(configuration.selected(node.symbol)),
                       tree.Show(symbol.selected_by));
  }
  return out + "\n\n";
}

}  // namespace hone::kconfig
