// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "hone/kconfig/reason/solver_sat.h"

namespace hone::kconfig {

// Three truth values as two literals: at least m, and y. y implies at least m.
struct Level {
  Literal some = kFalseLiteral;
  Literal full = kFalseLiteral;

  friend bool operator==(const Level&, const Level&) = default;
};

inline constexpr Level kLevelNo{kFalseLiteral, kFalseLiteral};
inline constexpr Level kLevelModule{kTrueLiteral, kFalseLiteral};
inline constexpr Level kLevelYes{kTrueLiteral, kTrueLiteral};

// Literals that stand for formulas (Tseitin). Constants and repetitions are folded away.
class Gates {
 public:
  explicit Gates(SatSolver& sat) : sat_(sat) {}

  Literal AllOf(std::span<const Literal> operands);
  Literal AllOf(std::initializer_list<Literal> operands) {
    return AllOf(std::span(operands.begin(), operands.size()));
  }
  Literal AnyOf(std::span<const Literal> operands);
  Literal AnyOf(std::initializer_list<Literal> operands) {
    return AnyOf(std::span(operands.begin(), operands.size()));
  }
  Literal Choose(Literal condition, Literal then, Literal otherwise);

  Level AllOf(Level a, Level b) { return {AllOf({a.some, b.some}), AllOf({a.full, b.full})}; }
  Level AnyOf(Level a, Level b) { return {AnyOf({a.some, b.some}), AnyOf({a.full, b.full})}; }
  Level Choose(Literal condition, Level then, Level otherwise) {
    return {Choose(condition, then.some, otherwise.some),
            Choose(condition, then.full, otherwise.full)};
  }

  // `guard` implies that both are the same; a guard that is true is left out.
  void Tie(Literal guard, Literal a, Literal b) {
    Implies(guard, a, b);
    Implies(guard, b, a);
  }
  void Implies(Literal guard, Literal a, Literal b);
  void ExactlyOne(Literal guard, std::span<const Literal> literals);

  SatSolver& sat() { return sat_; }

 private:
  SatSolver& sat_;
  std::vector<Literal> scratch_;
};

constexpr Level Negate(Level a) { return {-a.full, -a.some}; }

}  // namespace hone::kconfig
