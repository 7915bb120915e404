// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hone/kconfig/tree/simplify.h"

// Which operands of && and || the C tool joins: the part of Simplifier behind JoinDuplicates.
namespace hone::kconfig {
namespace {

bool IsTest(const Expression& node) {
  return node.operation == Operation::kEqual || node.operation == Operation::kUnequal ||
         node.operation == Operation::kSymbol;
}

bool IsPair(SymbolId a, SymbolId b, SymbolId first, SymbolId second) {
  return (a == first && b == second) || (a == second && b == first);
}

}  // namespace

ExpressionId Simplifier::JoinDuplicates(ExpressionId id) {
  if (id == kNone) return id;
  const Operation operation = pool_[id].operation;
  if (operation != Operation::kAnd && operation != Operation::kOr) return id;
  if (const auto known = joined_.find(id); known != joined_.end()) return known->second;
  const ExpressionId neutral = operation == Operation::kAnd ? kExpressionYes : kExpressionNo;
  std::vector<ExpressionId> leaves;
  Flatten(operation, id, leaves);
  bool has_joined = false;
  for (ExpressionId& leaf : leaves) {
    const ExpressionId inner = JoinDuplicates(leaf);
    has_joined |= inner != leaf;
    leaf = inner;
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (std::size_t j = 0; j < leaves.size(); ++j) {
      if (i == j) continue;
      const ExpressionId joined = Join(operation, leaves[i], leaves[j]);
      if (joined == kNone || (leaves[i] == neutral && joined == leaves[j])) continue;
      leaves[i] = neutral;
      leaves[j] = joined;
      has_joined = true;
    }
  }
  ExpressionId result = id;
  if (has_joined) {
    result = Rebuild(operation, leaves);
    if (result != id) result = JoinDuplicates(result);
  }
  joined_.emplace(id, result);
  return result;
}

ExpressionId Simplifier::Join(Operation operation, ExpressionId a, ExpressionId b) {
  if (IsEqual(a, b)) return a;
  const Expression first = pool_[a];
  const Expression second = pool_[b];
  const SymbolId subject = SubjectOf(first, true);
  if (subject == kNone || subject != SubjectOf(second, false)) return kNone;
  if (!IsLogical(symbols_[subject].type)) return kNone;
  return operation == Operation::kOr ? JoinOr(first, second) : JoinAnd(first, second);
}

// The symbol that the test is about; kNone if it is no simple test of one symbol.
SymbolId Simplifier::SubjectOf(const Expression& node, bool allows_negated_comparison) const {
  if (IsTest(node)) return node.left;
  if (node.operation != Operation::kNot) return kNone;
  const Expression& inner = pool_[node.left];
  const bool is_allowed =
      allows_negated_comparison ? IsTest(inner) : inner.operation == Operation::kSymbol;
  return is_allowed ? inner.left : kNone;
}

ExpressionId Simplifier::JoinOr(const Expression& a, const Expression& b) {
  const bool are_equalities = a.operation == Operation::kEqual && b.operation == Operation::kEqual;
  if (symbols_[SubjectOf(a, true)].type == SymbolType::kTristate) {
    if (!are_equalities) return kNone;
    const auto other_than = [&](SymbolId left) {
      return pool_.Compare(Operation::kUnequal, a.left, left);
    };
    if (IsPair(a.right, b.right, kSymbolYes, kSymbolModule)) return other_than(kSymbolNo);
    if (IsPair(a.right, b.right, kSymbolYes, kSymbolNo)) return other_than(kSymbolModule);
    if (IsPair(a.right, b.right, kSymbolModule, kSymbolNo)) return other_than(kSymbolYes);
    return kNone;
  }
  const auto is_negated = [this](const Expression& node) {
    return node.operation == Operation::kNot && pool_[node.left].operation == Operation::kSymbol;
  };
  const bool is_opposite = (is_negated(a) && b.operation == Operation::kSymbol) ||
                           (is_negated(b) && a.operation == Operation::kSymbol);
  return is_opposite ? kExpressionYes : kNone;
}

ExpressionId Simplifier::JoinAnd(const Expression& a, const Expression& b) {
  const SymbolId subject = SubjectOf(a, true);
  const auto is = [](const Expression& node, Operation operation, SymbolId right) {
    return node.operation == operation && node.right == right;
  };
  const auto symbol_and = [&](Operation operation, SymbolId right) {
    return (a.operation == Operation::kSymbol && is(b, operation, right)) ||
           (b.operation == Operation::kSymbol && is(a, operation, right));
  };
  const auto equals = [&](SymbolId value) {
    return pool_.Compare(Operation::kEqual, subject, value);
  };
  if (symbol_and(Operation::kEqual, kSymbolYes)) return equals(kSymbolYes);
  if (symbol_and(Operation::kUnequal, kSymbolNo)) return pool_.Symbol(subject);
  if (symbol_and(Operation::kUnequal, kSymbolModule)) return equals(kSymbolYes);
  if (symbols_[subject].type != SymbolType::kTristate) return kNone;
  const auto are_constants = [&] {
    return symbols_[a.right].is_constant && symbols_[b.right].is_constant;
  };
  const bool is_mixed = (a.operation == Operation::kEqual && b.operation == Operation::kUnequal) ||
                        (a.operation == Operation::kUnequal && b.operation == Operation::kEqual);
  if (is_mixed && are_constants()) {
    const SymbolId wanted = a.operation == Operation::kEqual ? a.right : b.right;
    return a.right == b.right ? kExpressionNo : equals(wanted);
  }
  if (a.operation != Operation::kUnequal || b.operation != Operation::kUnequal) return kNone;
  if (IsPair(a.right, b.right, kSymbolYes, kSymbolNo)) return equals(kSymbolModule);
  if (IsPair(a.right, b.right, kSymbolYes, kSymbolModule)) return equals(kSymbolNo);
  if (IsPair(a.right, b.right, kSymbolModule, kSymbolNo)) return equals(kSymbolYes);
  return kNone;
}

}  // namespace hone::kconfig
