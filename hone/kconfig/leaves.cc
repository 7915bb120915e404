// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/leaves.h"

#include "hone/kconfig/tree.h"

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
  if (id == kNone) return;
  pending_.push_back(id);
  while (!pending_.empty()) {
    const ExpressionId at = pending_.back();
    pending_.pop_back();
    if (expression_stamps_[at] == stamp_) continue;
    expression_stamps_[at] = stamp_;
    const Expression& node = expressions_[at];
    switch (node.operation) {
      case Operation::kSymbol:
        AddSymbol(node.left);
        break;
      case Operation::kNot:
        pending_.push_back(node.left);
        break;
      case Operation::kAnd:
      case Operation::kOr:
        pending_.push_back(node.right);
        pending_.push_back(node.left);
        break;
      default:
        AddSymbol(node.left);
        AddSymbol(node.right);
    }
  }
}

void ForEachInput(const Tree& tree, SymbolId id, LeafCollector& collector) {
  AddOwnInputs(tree, id, collector);
  const Symbol& symbol = tree.symbol(id);
  if (symbol.choice != kNone) collector.AddSymbol(symbol.choice);
  if (!symbol.is_choice) return;
  for (const SymbolId member : tree.MembersOf(id)) AddOwnInputs(tree, member, collector);
}

}  // namespace hone::kconfig
