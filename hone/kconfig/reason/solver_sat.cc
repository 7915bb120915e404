// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/solver_sat.h"

#include <algorithm>
#include <cadical.hpp>
#include <cstdlib>
#include <limits>

namespace hone::kconfig {
namespace {

// What the library returns, as in the SAT competitions.
constexpr int kSatisfiable = 10;
constexpr int kUnsatisfiable = 20;

}  // namespace

struct SatSolver::Library {
  CaDiCaL::Solver solver;
};

SatSolver::SatSolver() : library_(std::make_unique<Library>()) {
  library_->solver.set("quiet", 1);
  NewVariable();
  AddClause({kTrueLiteral});
}

SatSolver::~SatSolver() = default;

// The library makes a variable when it first sees it.
Literal SatSolver::NewVariable() { return static_cast<Literal>(++variable_count_); }

void SatSolver::AddClause(std::span<const Literal> literals) {
  ++clause_count_;
  for (const Literal literal : literals) library_->solver.add(literal);
  library_->solver.add(0);
}

SatSolver::SatAnswer SatSolver::Solve(std::span<const Literal> assumptions,
                                      std::int64_t conflicts) {
  CaDiCaL::Solver& solver = library_->solver;
  for (const Literal literal : assumptions) solver.assume(literal);
  constexpr std::int64_t kMax = std::numeric_limits<int>::max();
  solver.limit("conflicts", static_cast<int>(std::min(conflicts, kMax)));
  const int answer = solver.solve();
  if (answer == kSatisfiable) return SatAnswer::kYes;
  if (answer != kUnsatisfiable) return SatAnswer::kUnknown;
  core_.clear();
  for (const Literal literal : assumptions) {
    if (solver.failed(literal)) core_.push_back(literal);
  }
  return SatAnswer::kNo;
}

bool SatSolver::IsTrue(Literal literal) const {
  const bool is_variable_true = library_->solver.val(std::abs(literal)) > 0;
  return is_variable_true == (literal > 0);
}

}  // namespace hone::kconfig
