// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/tree/leaves.h"

#include "hone/kconfig/tree/expression_walk.h"
#include "hone/kconfig/tree/tree.h"

namespace hone::kconfig {
namespace {

void AddOwnInputs(const Tree& tree, SymbolId id, LeafCollector& collector) {
  const Symbol& symbol = tree.symbol(id);
  collector.AddExpression(symbol.dependency);
  collector.AddExpression(symbol.selected_by);
  collector.AddExpression(symbol.implied_by);
  for (const Property& property : tree.PropertiesOf(id)) {
    if (property.kind == PropertyKind::kSelect || property.kind == PropertyKind::kImply) continue;
    collector.AddExpression(property.condition);
    if (property.kind == PropertyKind::kDefault) collector.AddExpression(property.first);
    if (property.kind == PropertyKind::kRange) {
      collector.AddSymbol(property.first);
      collector.AddSymbol(property.second);
    }
  }
  if (symbol.type == SymbolType::kTristate) collector.AddSymbol(tree.modules());
}

}  // namespace

LeafCollector::LeafCollector(const ExpressionPool& expressions, std::uint32_t symbol_count)
    : expressions_(expressions),
      symbol_stamps_(symbol_count, 0),
      expression_stamps_(expressions.size(), 0) {}

void LeafCollector::Start() {
  ++stamp_;
  leaves_.clear();
}

void LeafCollector::AddSymbol(SymbolId id) {
  if (symbol_stamps_[id] == stamp_) return;
  symbol_stamps_[id] = stamp_;
  leaves_.push_back(id);
}

void LeafCollector::AddExpression(ExpressionId id) {
  const auto enters = [this](ExpressionId at) {
    if (expression_stamps_[at] == stamp_) return false;
    expression_stamps_[at] = stamp_;
    return true;
  };
  WalkExpression(expressions_, id, pending_, enters, [this](SymbolId leaf) { AddSymbol(leaf); });
}

void ForEachInput(const Tree& tree, SymbolId id, LeafCollector& collector) {
  AddOwnInputs(tree, id, collector);
  const Symbol& symbol = tree.symbol(id);
  if (symbol.choice != kNone) collector.AddSymbol(symbol.choice);
  if (!symbol.is_choice) return;
  for (const SymbolId member : tree.MembersOf(id)) AddOwnInputs(tree, member, collector);
}

}  // namespace hone::kconfig
