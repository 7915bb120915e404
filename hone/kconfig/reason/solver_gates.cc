// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/solver_gates.h"

#include <algorithm>

namespace hone::kconfig {

// Gates are tied in both directions (Tseitin), because a rule is used in both: a symbol is at most
// and at least what its rule gives. Operands are sorted, so that constants, duplicates and
// contradictions cost no variable.
Literal Gates::AllOf(std::span<const Literal> operands) {
  scratch_.assign(operands.begin(), operands.end());
  std::erase(scratch_, kTrueLiteral);
  std::sort(scratch_.begin(), scratch_.end());
  scratch_.erase(std::unique(scratch_.begin(), scratch_.end()), scratch_.end());
  if (scratch_.empty()) return kTrueLiteral;
  for (const Literal literal : scratch_) {
    if (literal == kFalseLiteral) return kFalseLiteral;
    if (literal < 0 && std::binary_search(scratch_.begin(), scratch_.end(), -literal)) {
      return kFalseLiteral;
    }
  }
  if (scratch_.size() == 1) return scratch_.front();
  const Literal gate = sat_.NewVariable();
  for (Literal& literal : scratch_) {
    sat_.AddClause({-gate, literal});
    literal = -literal;
  }
  scratch_.push_back(gate);
  sat_.AddClause(scratch_);
  return gate;
}

Literal Gates::AnyOf(std::span<const Literal> operands) {
  std::vector<Literal> negated(operands.begin(), operands.end());
  for (Literal& literal : negated) literal = -literal;
  return -AllOf(negated);
}

Literal Gates::Choose(Literal condition, Literal then, Literal otherwise) {
  if (condition == kTrueLiteral || then == otherwise) return then;
  if (condition == kFalseLiteral) return otherwise;
  if (then == kTrueLiteral) return AnyOf({condition, otherwise});
  if (then == kFalseLiteral) return AllOf({-condition, otherwise});
  if (otherwise == kTrueLiteral) return AnyOf({-condition, then});
  if (otherwise == kFalseLiteral) return AllOf({condition, then});
  const Literal gate = sat_.NewVariable();
  sat_.AddClause({-condition, -then, gate});
  sat_.AddClause({-condition, then, -gate});
  sat_.AddClause({condition, -otherwise, gate});
  sat_.AddClause({condition, otherwise, -gate});
  // The last two follow from the others; with them the solver sees it without deciding on
  // `condition`.
  sat_.AddClause({-then, -otherwise, gate});
  sat_.AddClause({then, otherwise, -gate});
  return gate;
}

void Gates::Implies(Literal guard, Literal a, Literal b) {
  if (a == kFalseLiteral || b == kTrueLiteral || a == b || guard == kFalseLiteral) return;
  scratch_.clear();
  if (guard != kTrueLiteral) scratch_.push_back(-guard);
  if (a != kTrueLiteral) scratch_.push_back(-a);
  if (b != kFalseLiteral) scratch_.push_back(b);
  sat_.AddClause(scratch_);
}

// Pairwise: the sets are small (members of a choice, values of a number).
void Gates::ExactlyOne(Literal guard, std::span<const Literal> literals) {
  scratch_.assign(literals.begin(), literals.end());
  if (guard != kTrueLiteral) scratch_.push_back(-guard);
  sat_.AddClause(scratch_);
  for (std::size_t i = 0; i < literals.size(); ++i) {
    for (std::size_t k = i + 1; k < literals.size(); ++k) {
      Implies(guard, literals[i], -literals[k]);
    }
  }
}

}  // namespace hone::kconfig
