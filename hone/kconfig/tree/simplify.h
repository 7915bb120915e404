// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "hone/kconfig/tree/tree.h"

namespace hone::kconfig {

// Rewrites expressions as the C tool does. Values never need it; where an entry lies in the menu
// tree (and what a message shows) depends on it. kNone is the absent expression.
class Simplifier {
 public:
  Simplifier(ExpressionPool& pool, const LargeList<Symbol>& symbols)
      : pool_(pool), symbols_(symbols) {}

  // Transform, after m has become m && MODULES.
  ExpressionId Prepare(ExpressionId id, SymbolId modules);

  // Comparisons of bools with y and n become the symbol, negations move inwards.
  ExpressionId Transform(ExpressionId id);

  // Operands that say the same are joined.
  ExpressionId JoinDuplicates(ExpressionId id);

  // The condition under which the expression is not n, or is n.
  ExpressionId CompareWithNo(ExpressionId id, bool is_equal);

  // True if `other` holds every condition of `base`: what the C tool asks before it puts an entry
  // into a submenu. Both come from CompareWithNo, Transform and JoinDuplicates.
  bool IsSuperset(ExpressionId other, ExpressionId base);

  bool IsEqual(ExpressionId a, ExpressionId b);  // But for the order of operands.

  bool Mentions(ExpressionId id, SymbolId symbol) const;
  bool NeedsSymbol(ExpressionId id, SymbolId symbol) const;  // n whenever the symbol is n.

 private:
  ExpressionId WalkChain(ExpressionId id, std::vector<ExpressionId>& rights) const;
  template <typename Change>
  ExpressionId MapChain(ExpressionId id, Operation into, Change change);
  bool IsPlain(ExpressionId id) const;
  ExpressionId RewriteModules(ExpressionId id, SymbolId modules);
  ExpressionId TransformNot(ExpressionId operand);
  ExpressionId TransformComparison(const Expression& node);
  void Flatten(Operation operation, ExpressionId id, std::vector<ExpressionId>& leaves) const;
  ExpressionId Rebuild(Operation operation, const std::vector<ExpressionId>& leaves);
  bool CancelEqual(Operation operation, std::vector<ExpressionId>& a, std::vector<ExpressionId>& b);
  ExpressionId Join(Operation operation, ExpressionId a, ExpressionId b);
  ExpressionId JoinOr(const Expression& a, const Expression& b);
  ExpressionId JoinAnd(const Expression& a, const Expression& b);
  SymbolId SubjectOf(const Expression& node, bool allows_negated_comparison) const;

  ExpressionPool& pool_;
  const LargeList<Symbol>& symbols_;
  std::unordered_map<ExpressionId, ExpressionId> joined_;
  std::vector<ExpressionId> prepared_;
};

}  // namespace hone::kconfig
