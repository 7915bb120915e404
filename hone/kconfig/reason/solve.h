// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/kconfig/reason/tree_index.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

// That a symbol has a value in the end: "y", "m", "n", "250", "0x10", "some text".
struct Wish {
  SymbolId symbol = kNone;
  std::string value;
};

struct SolveRequest {
  std::vector<Wish> wishes = {};
  std::vector<SymbolId> kept = {};     // Their values must not change.
  std::size_t alternatives = 1;        // How many answers at most.
  std::int64_t conflicts = 1'000'000;  // Of the solver, for one question; then it gives up.
};

struct Change {
  SymbolId symbol = kNone;
  std::string before;
  std::string after;
};

// One way to meet the wishes.
struct Solution {
  // What to set. `before` is the user value until now, empty where there is none. For a choice, the
  // member that becomes its selection is set to y.
  std::vector<Change> settings;

  // Every symbol whose value is another then, those that were set among them.
  std::vector<Change> effects;
};

enum class ClauseKind : std::uint8_t {
  kWish,       // It is asked for.
  kKept,       // It must not change.
  kUndefined,  // No file of the tree defines the symbol: it is n.
  kMax,        // What its prompt, defaults and selects allow at most.
  kMin,        // What defaults and selects force at least.
};

// One of the statements that cannot all be true.
struct Clause {
  ClauseKind kind = ClauseKind::kWish;
  SymbolId symbol = kNone;
  Location where;    // None for a wish.
  std::string text;  // "NUMA: its prompt needs SMP && X86_64"
};

// A command of the tree, and what it gave on this machine.
struct CommandResult {
  std::string command;
  std::string result;
  Location where;
};

struct SolveAnswer {
  // Best first: fewest settings, then fewest effects. Empty: there is no way.
  std::vector<Solution> solutions;

  // If there is no way: statements that contradict each other. None of them is superfluous.
  std::vector<Clause> conflict;

  // Commands in the definitions that the conflict is made of: on another machine, or with another
  // compiler, there may be a way.
  std::vector<CommandResult> commands;

  std::int64_t questions = 0;  // That the SAT solver was asked.
  std::int64_t clauses = 0;    // That were made for this request.
};

// Finds the smallest change of user values that gives symbols the wanted values, or proves that
// there is none. Every solution was set on a copy of the configuration and did what it says.
// Safe for concurrent use.
class Solver {
 public:
  explicit Solver(std::shared_ptr<const TreeIndex> index) : index_(std::move(index)) {}

  // kInvalidArgument: a wish is for a symbol or a value that cannot be. kUnavailable: it gave up.
  Result<SolveAnswer> Solve(const Configuration& start, const SolveRequest& request) const;

  const TreeIndex& index() const { return *index_; }

 private:
  std::shared_ptr<const TreeIndex> index_;
};

// "NUMA=y"
Result<Wish> ParseWish(const Tree& tree, std::string_view text);

}  // namespace hone::kconfig
