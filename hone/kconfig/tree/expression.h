// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hone/kconfig/tree/types.h"

namespace hone::kconfig {

enum class Operation : std::uint8_t {
  kSymbol,  // left: a symbol
  kNot,     // left: an expression
  kAnd,     // left, right: expressions
  kOr,
  kEqual,  // left, right: symbols
  kUnequal,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
};

struct Expression {
  Operation operation = Operation::kSymbol;
  std::uint16_t depth = 0;  // See ExpressionPool::depth.
  std::uint32_t left = kNone;
  std::uint32_t right = kNone;

  friend bool operator==(const Expression& a, const Expression& b) {
    return a.operation == b.operation && a.left == b.left && a.right == b.right;
  }
};

constexpr bool IsComparison(Operation operation) { return operation >= Operation::kEqual; }

// All expressions of a tree in one array. Equal expressions are stored once, so that equal ids mean
// equal structure. An operand is always stored before what uses it. kNone is the absent expression;
// And and Or give the other operand back for it, as the C tool does for a null pointer.
class ExpressionPool {
 public:
  ExpressionPool();

  // What a frozen one is made of, for a snapshot, and made of that again.
  struct Parts {
    std::span<const Expression> nodes;
    std::span<const ExpressionId> symbols;
  };
  Parts parts() const { return {nodes_, symbols_}; }
  explicit ExpressionPool(const Parts& parts)
      : nodes_(parts.nodes.begin(), parts.nodes.end()),
        symbols_(parts.symbols.begin(), parts.symbols.end()) {}

  const Expression& operator[](ExpressionId id) const { return nodes_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

  // How deep evaluation recurses: chains of && and || are walked in a loop along their left
  // operands and do not count.
  std::uint32_t depth(ExpressionId id) const { return nodes_[id].depth; }

  ExpressionId Symbol(SymbolId symbol);
  ExpressionId Not(ExpressionId operand);
  ExpressionId And(ExpressionId left, ExpressionId right);
  ExpressionId Or(ExpressionId left, ExpressionId right);
  ExpressionId Compare(Operation operation, SymbolId left, SymbolId right);

  // Drops the table that finds equal expressions; only reading is allowed from then on.
  void Freeze();

  // A copy to which expressions can be added again; the ids stay.
  ExpressionPool Reopened() const;

 private:
  ExpressionId Intern(Operation operation, std::uint32_t left, std::uint32_t right);
  std::uint16_t DepthOf(const Expression& expression) const;
  void Rehash(std::size_t size);

  std::vector<Expression> nodes_;
  std::vector<ExpressionId> symbols_;  // By symbol; kNone where it stands in no expression yet.
  std::vector<ExpressionId> table_;    // Open addressing; kNone is an empty slot.
  std::size_t interned_ = 0;           // In the table: all but the symbols.
};

}  // namespace hone::kconfig
