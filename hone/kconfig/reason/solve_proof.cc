// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/solve_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "hone/kconfig/reason/clause_text.h"
#include "hone/kconfig/reason/solver_encoding.h"

namespace hone::kconfig {
namespace {

// A core of more statements than this is shown as it came.
constexpr std::size_t kMaxToShrink = 300;
constexpr std::int64_t kConflictsToShrink = 20'000;

class Proof {
 public:
  Proof(const TreeIndex& index, const Configuration& start, const SolveRequest& request)
      : index_(index),
        start_(start),
        request_(request),
        domains_(index, start),
        kept_(request.kept.begin(), request.kept.end()),
        encoding_(index, start, domains_, kept_, sat_, true) {
    for (const Wish& wish : request.wishes) domains_.Want(wish.symbol, wish.value);
  }

  Result<std::vector<Clause>> Run(const std::vector<SymbolId>& defined) {
    for (const SymbolId id : defined) encoding_.Define(id);
    for (const Wish& wish : request_.wishes) Demand(ClauseKind::kWish, wish.symbol, wish.value);
    for (const SymbolId id : request_.kept) {
      if (encoding_.IsDefined(id) || IsMentioned(id)) {
        Demand(ClauseKind::kKept, id, std::string(start_.text(id)));
      }
    }
    for (const Encoding::Guard& guard : encoding_.guards()) {
      assumptions_.push_back(guard.literal);
      guards_.emplace(guard.literal, guard);
    }
    if (sat_.Solve(assumptions_, request_.conflicts) != SatSolver::SatAnswer::kNo) {
      return Error{
          Errc::kUnsupported,
          "solve: the rules that were found to conflict do not; please report the request"};
    }
    return InOrder(Shrink(sat_.core()));
  }

 private:
  bool IsMentioned(SymbolId id) const {
    return std::find(encoding_.mentioned().begin(), encoding_.mentioned().end(), id) !=
           encoding_.mentioned().end();
  }

  void Demand(ClauseKind kind, SymbolId id, const std::string& value) {
    const Literal guard = sat_.NewVariable();
    for (const Literal literal : encoding_.IsValue(id, value)) sat_.AddClause({-guard, literal});
    assumptions_.push_back(guard);
    demands_.emplace(guard, DescribeDemand(index_.tree(), kind, id, value));
  }

  std::vector<Literal> Shrink(std::vector<Literal> core) {
    if (core.size() > kMaxToShrink) return core;
    std::sort(core.begin(), core.end());
    for (std::size_t i = core.size(); i-- > 0;) {
      std::vector<Literal> without = core;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      if (sat_.Solve(without, kConflictsToShrink) != SatSolver::SatAnswer::kNo) continue;
      core = sat_.core();
      std::sort(core.begin(), core.end());
      i = std::min(i, core.size());
    }
    return core;
  }

  // Wishes first, then rules in the order in which they were needed.
  std::vector<Clause> InOrder(const std::vector<Literal>& core) {
    std::vector<Clause> clauses;
    for (const Literal literal : assumptions_) {
      if (std::find(core.begin(), core.end(), literal) == core.end()) continue;
      const auto guard = guards_.find(literal);
      clauses.push_back(guard == guards_.end()
                            ? demands_.at(literal)
                            : DescribeRule(index_, guard->second.symbol, guard->second.side));
    }
    return clauses;
  }

  const TreeIndex& index_;
  const Configuration& start_;
  const SolveRequest& request_;
  TextDomains domains_;
  std::unordered_set<SymbolId> kept_;
  SatSolver sat_;
  Encoding encoding_;
  std::vector<Literal> assumptions_;
  std::unordered_map<Literal, Clause> demands_;
  std::unordered_map<Literal, Encoding::Guard> guards_;
};

// The line behind the definition: that of the next entry in the file.
std::uint32_t EndOfDefinition(const Tree& tree, Location begin) {
  std::uint32_t end = kNone;
  for (const MenuNode& node : tree.menus()) {
    if (node.where.file == begin.file && node.where.line > begin.line) {
      end = std::min(end, node.where.line);
    }
  }
  return end;
}

}  // namespace

Result<std::vector<Clause>> ProveConflict(const TreeIndex& index, const Configuration& start,
                                          const SolveRequest& request,
                                          const std::vector<SymbolId>& defined) {
  return Proof(index, start, request).Run(defined);
}

std::vector<CommandResult> CommandsBehind(const Tree& tree, const std::vector<Clause>& clauses) {
  std::vector<CommandResult> commands;
  if (tree.shell_results().empty()) return commands;
  const auto add_all_in = [&](Location begin) {
    const std::uint32_t end = EndOfDefinition(tree, begin);
    for (std::size_t i = 0; i < tree.shell_results().size(); ++i) {
      const Location at = tree.shell_places()[i];
      if (at.file != begin.file || at.line < begin.line || at.line >= end) continue;
      const NamedText& asked = tree.shell_results()[i];
      const bool is_known =
          std::any_of(commands.begin(), commands.end(),
                      [&](const CommandResult& known) { return known.command == asked.first; });
      if (!is_known) commands.push_back({asked.first, asked.second, at});
    }
  };
  for (const Clause& clause : clauses) {
    if (clause.kind != ClauseKind::kMax && clause.kind != ClauseKind::kMin) continue;
    for (MenuId at = tree.symbol(clause.symbol).first_menu; at != kNone;
         at = tree.menu(at).next_definition) {
      add_all_in(tree.menu(at).where);
    }
  }
  return commands;
}

}  // namespace hone::kconfig
