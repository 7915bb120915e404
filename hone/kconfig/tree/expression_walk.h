// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/kconfig/tree/expression.h"

namespace hone::kconfig {

// Goes over an expression from left to right with a stack of its own (`pending`, empty before and
// after), since chains may be long. `enters(id)` decides whether a part is looked into, and
// `leaf(symbol)` gets the symbols.
template <typename Enters, typename Leaf>
void WalkExpression(const ExpressionPool& pool, ExpressionId id, std::vector<ExpressionId>& pending,
                    Enters enters, Leaf leaf) {
  if (id == kNone) return;
  pending.push_back(id);
  while (!pending.empty()) {
    const ExpressionId at = pending.back();
    pending.pop_back();
    if (!enters(at)) continue;
    const Expression& node = pool[at];
    switch (node.operation) {
      case Operation::kSymbol:
        leaf(node.left);
        break;
      case Operation::kNot:
        pending.push_back(node.left);
        break;
      case Operation::kAnd:
      case Operation::kOr:
        pending.push_back(node.right);
        pending.push_back(node.left);
        break;
      default:
        leaf(node.left);
        leaf(node.right);
    }
  }
}

}  // namespace hone::kconfig
