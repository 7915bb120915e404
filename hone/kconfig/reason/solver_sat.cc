// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/solver_sat.h"

#include <minisat/core/Solver.h>

#include <cstdlib>

namespace hone::kconfig {
namespace {

// The library's own names for them are macros that need its namespace.
const Minisat::lbool kLibraryTrue(static_cast<std::uint8_t>(0));
const Minisat::lbool kLibraryFalse(static_cast<std::uint8_t>(1));
const Minisat::lbool kLibraryUndefined(static_cast<std::uint8_t>(2));

Minisat::Lit ToLibrary(Literal literal) { return Minisat::mkLit(std::abs(literal), literal < 0); }

Literal FromLibrary(Minisat::Lit literal) {
  return Minisat::sign(literal) ? -Minisat::var(literal) : Minisat::var(literal);
}

}  // namespace

struct SatSolver::Library {
  Minisat::Solver solver;
  Minisat::vec<Minisat::Lit> literals;  // Kept, so that no call allocates.
};

SatSolver::SatSolver() : library_(std::make_unique<Library>()) {
  library_->solver.newVar(kLibraryUndefined, false);  // Ours begin at 1.
  NewVariable();
  AddClause({kTrueLiteral});
}

SatSolver::~SatSolver() = default;

Literal SatSolver::NewVariable() {
  ++variable_count_;
  return library_->solver.newVar();
}

void SatSolver::AddClause(std::span<const Literal> literals) {
  ++clause_count_;
  library_->literals.clear();
  for (const Literal literal : literals) library_->literals.push(ToLibrary(literal));
  library_->solver.addClause_(library_->literals);
}

SatSolver::Verdict SatSolver::Solve(std::span<const Literal> assumptions, std::int64_t conflicts) {
  library_->literals.clear();
  for (const Literal literal : assumptions) library_->literals.push(ToLibrary(literal));
  library_->solver.setConfBudget(conflicts);
  const Minisat::lbool verdict = library_->solver.solveLimited(library_->literals);
  if (verdict == kLibraryTrue) return Verdict::kYes;
  if (verdict != kLibraryFalse) return Verdict::kUnknown;
  core_.clear();
  const Minisat::vec<Minisat::Lit>& conflict = library_->solver.conflict;
  for (int i = 0; i < conflict.size(); ++i) core_.push_back(-FromLibrary(conflict[i]));
  return Verdict::kNo;
}

bool SatSolver::IsTrue(Literal literal) const {
  return library_->solver.modelValue(ToLibrary(literal)) == kLibraryTrue;
}

}  // namespace hone::kconfig
