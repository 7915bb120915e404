// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/expression.h"

#include <algorithm>

namespace hone::kconfig {
namespace {

std::size_t HashOf(const Expression& expression) {
  std::uint64_t hash = (std::uint64_t{expression.left} << 32) | expression.right;
  hash = (hash ^ static_cast<std::uint64_t>(expression.operation)) * 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>(hash ^ (hash >> 29));
}

}  // namespace

ExpressionPool::ExpressionPool() : table_(1 << 17, kNone) {
  nodes_.reserve(1 << 16);
  depths_.reserve(1 << 16);
  Symbol(kSymbolNo);
  Symbol(kSymbolModule);
  Symbol(kSymbolYes);
}

ExpressionId ExpressionPool::Symbol(SymbolId symbol) {
  return Intern({Operation::kSymbol, symbol, kNone});
}

ExpressionId ExpressionPool::Not(ExpressionId operand) {
  return Intern({Operation::kNot, operand, kNone});
}

ExpressionId ExpressionPool::And(ExpressionId left, ExpressionId right) {
  if (left == kNone) return right;
  return right == kNone ? left : Intern({Operation::kAnd, left, right});
}

ExpressionId ExpressionPool::Or(ExpressionId left, ExpressionId right) {
  if (left == kNone) return right;
  return right == kNone ? left : Intern({Operation::kOr, left, right});
}

ExpressionId ExpressionPool::Compare(Operation operation, SymbolId left, SymbolId right) {
  return Intern({operation, left, right});
}

void ExpressionPool::Freeze() {
  table_ = {};
  nodes_.shrink_to_fit();
}

ExpressionPool ExpressionPool::Reopened() const {
  ExpressionPool copy = *this;
  copy.table_.assign(1 << 10, kNone);
  while (copy.nodes_.size() * 2 >= copy.table_.size()) copy.table_.resize(copy.table_.size() * 4);
  copy.Grow();
  return copy;
}

ExpressionId ExpressionPool::Intern(const Expression& expression) {
  if (nodes_.size() * 2 >= table_.size()) Grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = HashOf(expression) & mask;
  for (; table_[slot] != kNone; slot = (slot + 1) & mask) {
    if (nodes_[table_[slot]] == expression) return table_[slot];
  }
  const auto id = static_cast<ExpressionId>(nodes_.size());
  std::uint32_t depth = 0;
  if (expression.operation == Operation::kNot) depth = depths_[expression.left] + 1;
  if (expression.operation == Operation::kAnd || expression.operation == Operation::kOr) {
    const bool is_chain = nodes_[expression.left].operation == expression.operation;
    depth = std::max<std::uint32_t>(depths_[expression.left] + (is_chain ? 0 : 1),
                                    depths_[expression.right] + 1);
  }
  nodes_.push_back(expression);
  depths_.push_back(static_cast<std::uint16_t>(std::min<std::uint32_t>(depth, 0xffff)));
  table_[slot] = id;
  return id;
}

void ExpressionPool::Grow() {
  std::vector<ExpressionId> table(table_.size() * 4, kNone);
  const std::size_t mask = table.size() - 1;
  for (ExpressionId id = 0; id < nodes_.size(); ++id) {
    std::size_t slot = HashOf(nodes_[id]) & mask;
    while (table[slot] != kNone) slot = (slot + 1) & mask;
    table[slot] = id;
  }
  table_ = std::move(table);
}

}  // namespace hone::kconfig
