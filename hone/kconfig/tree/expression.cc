// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/tree/expression.h"

#include <algorithm>
#include <bit>

namespace hone::kconfig {
namespace {

std::size_t ExpressionHashOf(const Expression& expression) {
  std::uint64_t hash = (std::uint64_t{expression.left} << 32) | expression.right;
  hash = (hash ^ static_cast<std::uint64_t>(expression.operation)) * 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>(hash ^ (hash >> 29));
}

}  // namespace

ExpressionPool::ExpressionPool() : table_(1 << 16, kNone) {
  nodes_.reserve(1 << 16);
  symbols_.reserve(1 << 15);
  Symbol(kSymbolNo);
  Symbol(kSymbolModule);
  Symbol(kSymbolYes);
}

ExpressionId ExpressionPool::Symbol(SymbolId symbol) {
  if (symbol >= symbols_.size()) symbols_.resize(symbol + std::size_t{1}, kNone);
  ExpressionId& known = symbols_[symbol];
  if (known == kNone) {
    known = static_cast<ExpressionId>(nodes_.size());
    nodes_.push_back({Operation::kSymbol, 0, symbol, kNone});
  }
  return known;
}

ExpressionId ExpressionPool::Not(ExpressionId operand) {
  return Intern(Operation::kNot, operand, kNone);
}

ExpressionId ExpressionPool::And(ExpressionId left, ExpressionId right) {
  if (left == kNone) return right;
  return right == kNone ? left : Intern(Operation::kAnd, left, right);
}

ExpressionId ExpressionPool::Or(ExpressionId left, ExpressionId right) {
  if (left == kNone) return right;
  return right == kNone ? left : Intern(Operation::kOr, left, right);
}

ExpressionId ExpressionPool::Compare(Operation operation, SymbolId left, SymbolId right) {
  return Intern(operation, left, right);
}

void ExpressionPool::Freeze() { table_ = {}; }

ExpressionPool ExpressionPool::Reopened() const {
  ExpressionPool copy = *this;
  copy.Rehash(std::bit_ceil(copy.nodes_.size() * 2));
  return copy;
}

std::uint16_t ExpressionPool::DepthOf(const Expression& expression) const {
  if (IsComparison(expression.operation)) return 0;
  const Expression& left = nodes_[expression.left];
  std::uint32_t depth = left.depth + (left.operation == expression.operation ? 0U : 1U);
  if (expression.operation == Operation::kNot) {
    depth = left.depth + 1U;
  } else {
    depth = std::max(depth, nodes_[expression.right].depth + 1U);
  }
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(depth, 0xffff));
}

ExpressionId ExpressionPool::Intern(Operation operation, std::uint32_t left, std::uint32_t right) {
  if (interned_ * 4 >= table_.size() * 3) Rehash(table_.size() * 4);
  Expression expression{operation, 0, left, right};
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = ExpressionHashOf(expression) & mask;
  for (; table_[slot] != kNone; slot = (slot + 1) & mask) {
    if (nodes_[table_[slot]] == expression) return table_[slot];
  }
  const auto id = static_cast<ExpressionId>(nodes_.size());
  expression.depth = DepthOf(expression);
  nodes_.push_back(expression);
  table_[slot] = id;
  ++interned_;
  return id;
}

void ExpressionPool::Rehash(std::size_t size) {
  std::vector<ExpressionId> table(size, kNone);
  const std::size_t mask = size - 1;
  interned_ = 0;
  for (ExpressionId id = 0; id < nodes_.size(); ++id) {
    if (nodes_[id].operation == Operation::kSymbol) continue;  // symbols_ has it.
    std::size_t slot = ExpressionHashOf(nodes_[id]) & mask;
    while (table[slot] != kNone) slot = (slot + 1) & mask;
    table[slot] = id;
    ++interned_;
  }
  table_ = std::move(table);
}

}  // namespace hone::kconfig
