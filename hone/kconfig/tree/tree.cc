// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/tree/tree.h"

#include <fmt/format.h>

#include "hone/kconfig/language/help_text.h"
#include "hone/kconfig/language/parser.h"
#include "hone/kconfig/tree/leaves.h"

namespace hone::kconfig {

Tree::Tree(TreeParts parts) : parts_(std::move(parts)) {
  ranks_.assign(parts_.symbols.size(), kNone);
  for (std::uint32_t rank = 0; rank < parts_.order.size(); ++rank) {
    ranks_[parts_.order[rank]] = rank;
  }
  for (Symbol& symbol : parts_.symbols) {
    if (symbol.type >= SymbolType::kInt) symbol.slot = text_count_++;
  }
  for (std::uint32_t index = 0; index < parts_.choices.size(); ++index) {
    parts_.symbols[parts_.choices[index].symbol].slot = index;
  }
}

std::span<const Property> Tree::PropertiesOf(SymbolId id) const {
  const Symbol& symbol = parts_.symbols[id];
  return std::span(parts_.properties).subspan(symbol.first_property, symbol.property_count);
}

SymbolId Tree::Find(std::string_view name) const { return parts_.names.Find(name, false); }

std::span<const SymbolId> Tree::DependentsOf(SymbolId id) const {
  std::call_once(dependents_built_, [this] { BuildDependents(); });
  const std::uint32_t begin = dependents_begin_[id];
  return std::span(dependents_).subspan(begin, dependents_begin_[id + 1] - begin);
}

void Tree::BuildDependents() const {
  const auto count = static_cast<std::uint32_t>(parts_.symbols.size());
  std::vector<std::pair<SymbolId, SymbolId>> edges;  // What is read, who reads it.
  LeafCollector collector(parts_.expressions, count);
  for (const SymbolId reader : parts_.order) {
    collector.Start();
    ForEachInput(*this, reader, collector);
    for (const SymbolId read : collector.leaves()) {
      if (ranks_[read] != kNone && read != reader) edges.emplace_back(read, reader);
    }
  }
  dependents_begin_.assign(count + 1, 0);
  for (const auto& edge : edges) ++dependents_begin_[edge.first + 1];
  for (std::uint32_t id = 0; id < count; ++id) dependents_begin_[id + 1] += dependents_begin_[id];
  std::vector<std::uint32_t> next(dependents_begin_.begin(), dependents_begin_.end() - 1);
  dependents_.resize(edges.size());
  for (const auto& [read, reader] : edges) dependents_[next[read]++] = reader;
}

std::string_view Tree::title() const {
  const PropertyId prompt = parts_.menus[0].prompt;
  return prompt == kNone ? std::string_view("Main menu") : parts_.properties[prompt].text;
}

std::string Tree::Help(MenuId id) const { return DedentHelp(parts_.menus[id].raw_help); }

std::string Tree::Show(Location where) const {
  if (where.file == kNone) return "<none>";
  return fmt::format("{}:{}", parts_.files[where.file].name, where.line);
}

std::string Tree::Show(const Diagnostic& diagnostic) const {
  return ShowDiagnostic(parts_.files, diagnostic);
}

}  // namespace hone::kconfig
