// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace hone::kconfig {

// The number of a variable from 1; negative if negated. Variable 1 is always true.
using Literal = std::int32_t;
inline constexpr Literal kTrueLiteral = 1;
inline constexpr Literal kFalseLiteral = -1;

// An incremental SAT solver: clauses are only ever added, and every question is asked under
// assumptions. The one place that knows the library behind it. For one thread at a time.
class SatSolver {
 public:
  enum class SatAnswer : std::uint8_t { kYes, kNo, kUnknown };

  SatSolver();
  ~SatSolver();
  SatSolver(const SatSolver&) = delete;
  SatSolver& operator=(const SatSolver&) = delete;

  Literal NewVariable();
  void AddClause(std::span<const Literal> literals);
  void AddClause(std::initializer_list<Literal> literals) {
    AddClause(std::span(literals.begin(), literals.size()));
  }

  // kUnknown only after `conflicts` conflicts.
  SatAnswer Solve(std::span<const Literal> assumptions, std::int64_t conflicts);

  // Of the last Solve that said kYes, until a clause is added.
  bool IsTrue(Literal literal) const;

  // Of the last Solve that said kNo: assumptions that cannot hold together. Empty if the clauses
  // contradict each other without any.
  const std::vector<Literal>& core() const { return core_; }

  std::int64_t clause_count() const { return clause_count_; }
  std::int64_t variable_count() const { return variable_count_; }

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  std::vector<Literal> core_;
  std::int64_t clause_count_ = 0;
  std::int64_t variable_count_ = 0;
};

}  // namespace hone::kconfig
