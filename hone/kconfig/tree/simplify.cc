// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/tree/simplify.h"

#include <algorithm>

namespace hone::kconfig {
namespace {

bool IsChain(Operation operation) {
  return operation == Operation::kAnd || operation == Operation::kOr;
}

Operation Opposite(Operation operation) {
  return operation == Operation::kAnd ? Operation::kOr : Operation::kAnd;
}

Operation Inverse(Operation operation) {
  switch (operation) {
    case Operation::kEqual:
      return Operation::kUnequal;
    case Operation::kUnequal:
      return Operation::kEqual;
    case Operation::kLess:
      return Operation::kGreaterEqual;
    case Operation::kGreaterEqual:
      return Operation::kLess;
    case Operation::kGreater:
      return Operation::kLessEqual;
    default:
      return Operation::kGreater;
  }
}

}  // namespace

// The operands of a chain of && or ||: its leftmost one, then the right ones from last to first.
ExpressionId Simplifier::WalkChain(ExpressionId id, std::vector<ExpressionId>& rights) const {
  const Operation operation = pool_[id].operation;
  while (pool_[id].operation == operation) {
    rights.push_back(pool_[id].right);
    id = pool_[id].left;
  }
  return id;
}

// Chains lean to the left and may be long (all that selects a common symbol), so they are changed
// in a loop and not by recursion. The operands keep their order and the chain its shape: messages
// show them, and the C tool's are the same.
template <typename Change>
ExpressionId Simplifier::MapChain(ExpressionId id, Operation into, Change change) {
  std::vector<ExpressionId> rights;
  ExpressionId result = change(WalkChain(id, rights));
  for (auto right = rights.rbegin(); right != rights.rend(); ++right) {
    const ExpressionId changed = change(*right);
    result = into == Operation::kAnd ? pool_.And(result, changed) : pool_.Or(result, changed);
  }
  return result;
}

// Expressions are shared: a condition of a menu stands in every entry below it. It is prepared
// once.
ExpressionId Simplifier::Prepare(ExpressionId id, SymbolId modules) {
  if (id == kNone) return id;
  if (id < prepared_.size() && prepared_[id] != kNone) return prepared_[id];
  const ExpressionId result = IsPlain(id) ? id : Transform(RewriteModules(id, modules));
  if (id >= prepared_.size()) prepared_.resize(std::size_t{2} * pool_.size(), kNone);
  prepared_[id] = result;
  return result;
}

// Names, negated or not, joined by && and ||: Prepare leaves them as they are. Most are such.
bool Simplifier::IsPlain(ExpressionId id) const {
  for (; IsChain(pool_[id].operation); id = pool_[id].left) {
    if (!IsPlain(pool_[id].right)) return false;
  }
  if (pool_[id].operation == Operation::kNot) id = pool_[id].left;
  return pool_[id].operation == Operation::kSymbol && pool_[id].left > kSymbolYes;
}

ExpressionId Simplifier::RewriteModules(ExpressionId id, SymbolId modules) {
  const Expression node = pool_[id];
  switch (node.operation) {
    case Operation::kSymbol:
      return node.left == kSymbolModule ? pool_.And(id, pool_.Symbol(modules)) : id;
    case Operation::kNot:
      return pool_.Not(RewriteModules(node.left, modules));
    case Operation::kAnd:
    case Operation::kOr:
      return MapChain(id, node.operation,
                      [&](ExpressionId operand) { return RewriteModules(operand, modules); });
    default:
      return id;
  }
}

// Only for bools. Of a tristate that is m, the comparison with n is y or n, the symbol is m.
ExpressionId Simplifier::TransformComparison(const Expression& node) {
  const ExpressionId same = pool_.Compare(node.operation, node.left, node.right);
  const bool is_equal = node.operation == Operation::kEqual;
  if (!is_equal && node.operation != Operation::kUnequal) return same;
  if (symbols_[node.left].type != SymbolType::kBool) return same;
  const ExpressionId subject = pool_.Symbol(node.left);
  if (node.right == kSymbolNo) return is_equal ? pool_.Not(subject) : subject;
  if (node.right == kSymbolYes) return is_equal ? subject : pool_.Not(subject);
  if (node.right == kSymbolModule) return is_equal ? kExpressionNo : kExpressionYes;
  return same;
}

ExpressionId Simplifier::Transform(ExpressionId id) {
  if (id == kNone) return id;
  const Expression node = pool_[id];
  switch (node.operation) {
    case Operation::kSymbol:
      return id;
    case Operation::kNot:
      return TransformNot(Transform(node.left));
    case Operation::kAnd:
    case Operation::kOr:
      return MapChain(id, node.operation,
                      [this](ExpressionId operand) { return Transform(operand); });
    default:
      return TransformComparison(node);
  }
}

// !m is m, because the negation of a tristate is 2 minus its value. By De Morgan's laws a negation
// ends at symbols; before a comparison it disappears.
ExpressionId Simplifier::TransformNot(ExpressionId operand) {
  const Expression node = pool_[operand];
  switch (node.operation) {
    case Operation::kNot:
      return Transform(node.left);
    case Operation::kSymbol:
      if (node.left == kSymbolYes) return kExpressionNo;
      if (node.left == kSymbolNo) return kExpressionYes;
      return node.left == kSymbolModule ? kExpressionModule : pool_.Not(operand);
    case Operation::kOr:
    case Operation::kAnd:
      return MapChain(operand, Opposite(node.operation),
                      [this](ExpressionId inner) { return TransformNot(inner); });
    default:
      return pool_.Compare(Inverse(node.operation), node.left, node.right);
  }
}

void Simplifier::Flatten(Operation operation, ExpressionId id,
                         std::vector<ExpressionId>& leaves) const {
  const std::size_t begin = leaves.size();
  // Along the left operands in a loop; what is met comes out in reverse.
  std::vector<ExpressionId> pending{id};
  while (!pending.empty()) {
    const ExpressionId at = pending.back();
    pending.pop_back();
    const Expression& node = pool_[at];
    if (node.operation == operation) {
      pending.push_back(node.left);
      pending.push_back(node.right);
    } else {
      leaves.push_back(at);
    }
  }
  std::reverse(leaves.begin() + static_cast<std::ptrdiff_t>(begin), leaves.end());
}

ExpressionId Simplifier::Rebuild(Operation operation, const std::vector<ExpressionId>& leaves) {
  const bool is_and = operation == Operation::kAnd;
  const ExpressionId neutral = is_and ? kExpressionYes : kExpressionNo;
  const ExpressionId absorbing = is_and ? kExpressionNo : kExpressionYes;
  ExpressionId result = kNone;
  for (const ExpressionId leaf : leaves) {
    if (leaf == neutral) continue;
    if (leaf == absorbing) return absorbing;
    result = is_and ? pool_.And(result, leaf) : pool_.Or(result, leaf);
  }
  return result == kNone ? neutral : result;
}

// Cancels each leaf of `a` with an equal leaf of `b`. A cancelled leaf becomes the neutral element
// rather than being erased, so that Rebuild says what is left even if that is nothing. Constants
// are not cancelled, because the C tool keeps them.
bool Simplifier::CancelEqual(Operation operation, std::vector<ExpressionId>& a,
                             std::vector<ExpressionId>& b) {
  const ExpressionId neutral = operation == Operation::kAnd ? kExpressionYes : kExpressionNo;
  bool has_cancelled = false;
  for (ExpressionId& first : a) {
    for (ExpressionId& second : b) {
      if (first == second && (first == kExpressionYes || first == kExpressionNo)) continue;
      if (!IsEqual(first, second)) continue;
      first = neutral;
      second = neutral;
      has_cancelled = true;
    }
  }
  return has_cancelled;
}

bool Simplifier::IsEqual(ExpressionId a, ExpressionId b) {
  if (a == b) return true;
  const Operation operation = pool_[a].operation;
  if (operation != pool_[b].operation) return false;
  if (operation == Operation::kNot) return IsEqual(pool_[a].left, pool_[b].left);
  if (!IsChain(operation)) return false;
  std::vector<ExpressionId> first;
  std::vector<ExpressionId> second;
  Flatten(operation, a, first);
  Flatten(operation, b, second);
  CancelEqual(operation, first, second);
  const ExpressionId rest = Rebuild(operation, first);
  // Equal if nothing is left on either side: both have become the neutral constant.
  return rest == Rebuild(operation, second) && pool_[rest].operation == Operation::kSymbol;
}

// What the two have in common is cancelled, first along the operation of one, then of the other. If
// nothing is left of `base`, then `other` holds all of it. This is no test of implication: it
// finds what the C tool finds.
bool Simplifier::IsSuperset(ExpressionId other, ExpressionId base) {
  const auto is_yes = [](ExpressionId id) { return id == kNone || id == kExpressionYes; };
  if (other == kNone || base == kNone) return is_yes(base);
  const Operation first = pool_[other].operation;
  for (int pass = 0; pass < 2; ++pass) {
    const Operation operation = pass == 0 ? first : pool_[base].operation;
    if (!IsChain(operation) || (pass == 1 && operation == first)) continue;
    std::vector<ExpressionId> a;
    std::vector<ExpressionId> b;
    Flatten(operation, other, a);
    Flatten(operation, base, b);
    if (!CancelEqual(operation, a, b)) continue;
    other = Rebuild(operation, a);
    base = Rebuild(operation, b);
  }
  return is_yes(base);
}

ExpressionId Simplifier::CompareWithNo(ExpressionId id, bool is_equal) {
  if (id == kNone) return is_equal ? kExpressionNo : pool_.Not(kExpressionNo);
  const Expression node = pool_[id];
  switch (node.operation) {
    case Operation::kSymbol:
      return pool_.Compare(is_equal ? Operation::kEqual : Operation::kUnequal, node.left,
                           kSymbolNo);
    case Operation::kNot:
      return CompareWithNo(node.left, !is_equal);
    case Operation::kAnd:
    case Operation::kOr: {
      const ExpressionId both =
          MapChain(id, Opposite(node.operation),
                   [this](ExpressionId operand) { return CompareWithNo(operand, true); });
      return is_equal ? both : pool_.Not(both);
    }
    default:
      return is_equal ? pool_.Not(id) : id;
  }
}

bool Simplifier::Mentions(ExpressionId id, SymbolId symbol) const {
  while (id != kNone) {
    const Expression& node = pool_[id];
    switch (node.operation) {
      case Operation::kSymbol:
        return node.left == symbol;
      case Operation::kNot:
        id = node.left;
        break;
      case Operation::kAnd:
      case Operation::kOr:
        if (Mentions(node.right, symbol)) return true;
        id = node.left;
        break;
      default:
        return node.left == symbol || node.right == symbol;
    }
  }
  return false;
}

bool Simplifier::NeedsSymbol(ExpressionId id, SymbolId symbol) const {
  while (id != kNone) {
    const Expression& node = pool_[id];
    switch (node.operation) {
      case Operation::kSymbol:
        return node.left == symbol;
      case Operation::kAnd:
        if (NeedsSymbol(node.right, symbol)) return true;
        id = node.left;
        break;
      case Operation::kEqual:
        return node.left == symbol && (node.right == kSymbolYes || node.right == kSymbolModule);
      case Operation::kUnequal:
        return node.left == symbol && node.right == kSymbolNo;
      default:
        return false;
    }
  }
  return false;
}

}  // namespace hone::kconfig
