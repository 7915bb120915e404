// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/solver_minimum.h"

#include <algorithm>

namespace hone::kconfig {
namespace {

constexpr int kTrims = 3;

}  // namespace

Counter::Counter(SatSolver& sat, std::vector<Literal> inputs)
    : sat_(sat), inputs_(std::move(inputs)) {}

// Inputs force outputs, and not the other way round: that is enough, because an output is only ever
// assumed to be false. All rows of a large core would be quadratic, and answers are small.
Literal Counter::Output(std::size_t at_least) {
  if (at_least > inputs_.size()) return kFalseLiteral;
  while (rows_.size() < at_least) {
    const std::size_t k = rows_.size();
    std::vector<Literal> row(inputs_.size(), kFalseLiteral);
    for (std::size_t i = k; i < inputs_.size(); ++i) {
      row[i] = sat_.NewVariable();
      if (k == 0)
        sat_.AddClause({-inputs_[i], row[i]});
      else
        sat_.AddClause({-inputs_[i], -rows_[k - 1][i - 1], row[i]});
      if (i > k) sat_.AddClause({-row[i - 1], row[i]});
    }
    rows_.push_back(std::move(row));
  }
  return rows_[at_least - 1].back();
}

void Minimum::AddSoft(Literal assumption, Soft soft) {
  softs_.push_back(assumption);
  soft_of_.emplace(assumption, soft);
}

void Minimum::TakeNew() {
  for (; changes_taken_ < encoding_.changes().size(); ++changes_taken_) {
    AddSoft(-encoding_.changes()[changes_taken_].changed, {});
  }
  for (; mentioned_taken_ < encoding_.mentioned().size(); ++mentioned_taken_) {
    const SymbolId id = encoding_.mentioned()[mentioned_taken_];
    if (encoding_.IsDefined(id)) continue;
    for (const Literal literal : encoding_.NowOf(id)) {
      open_.emplace_back(literal, id);
      symbol_of_open_.emplace(literal, id);
    }
  }
  std::erase_if(open_, [this](const auto& entry) { return encoding_.IsDefined(entry.second); });
}

SatSolver::SatAnswer Minimum::Ask(const std::vector<Literal>& assumptions) {
  ++questions_;
  return sat_.Solve(assumptions, conflicts_);
}

// A core often holds more than it needs; asking again with it alone gives a smaller one.
std::vector<Literal> Minimum::Trim(std::vector<Literal> core) {
  for (int i = 0; i < kTrims && core.size() > 1; ++i) {
    std::reverse(core.begin(), core.end());
    if (Ask(core) != SatSolver::SatAnswer::kNo || sat_.core().size() >= core.size()) break;
    core = sat_.core();
  }
  return core;
}

// Before a core is paid for: its symbols without a rule were only assumed to keep their values, and
// with the rule the conflict may be gone.
bool Minimum::DefineOpen(const std::vector<Literal>& core) {
  bool is_any = false;
  for (const Literal literal : core) {
    const auto open = symbol_of_open_.find(literal);
    if (open == symbol_of_open_.end()) continue;
    encoding_.Define(open->second);
    is_any = true;
  }
  return is_any;
}

// The changes of a core cannot all be avoided: one is paid for, and a counter over them makes the
// second one the next to be avoided. A core may hold the output of an earlier counter; then that
// one is allowed one more. The cost rises by one for each core, so the first model has the
// smallest.
void Minimum::Relax(const std::vector<Literal>& core) {
  ++cost_;
  std::vector<Literal> inputs;
  for (const Literal literal : core) {
    const auto soft = soft_of_.find(literal);
    const Soft was = soft->second;
    soft_of_.erase(soft);
    std::erase(softs_, literal);
    inputs.push_back(-literal);
    if (was.counter == 0) continue;
    const Literal next = counters_[was.counter - 1].Output(was.at_least + 1);
    if (next != kFalseLiteral) AddSoft(-next, {was.counter, was.at_least + 1});
  }
  if (inputs.size() < 2) return;
  counters_.emplace_back(sat_, std::move(inputs));
  AddSoft(-counters_.back().Output(2), {counters_.size(), 2});
}

void Minimum::ReadModel() {
  found_.clear();
  for (std::size_t i = 0; i < encoding_.changes().size(); ++i) {
    const UserChange& change = encoding_.changes()[i];
    if (!sat_.IsTrue(change.changed)) continue;
    for (std::size_t k = 0; k < change.options.size(); ++k) {
      if (sat_.IsTrue(change.options[k].literal)) found_.push_back({i, k});
    }
  }
}

Minimum::SearchEnd Minimum::Next() {
  std::vector<Literal> assumptions;
  for (;;) {
    TakeNew();
    assumptions.assign(softs_.begin(), softs_.end());
    for (const auto& entry : open_) assumptions.push_back(entry.first);
    const SatSolver::SatAnswer answer = Ask(assumptions);
    if (answer == SatSolver::SatAnswer::kUnknown) return SearchEnd::kGaveUp;
    if (answer == SatSolver::SatAnswer::kYes) {
      ReadModel();
      return SearchEnd::kFound;
    }
    const std::vector<Literal> core = Trim(sat_.core());
    if (core.empty()) return SearchEnd::kNoMore;
    if (!DefineOpen(core)) Relax(core);
  }
}

void Minimum::Exclude(const std::vector<Changed>& changes) {
  std::vector<Literal> clause;
  for (const Changed& changed : changes) {
    const UserChange& change = encoding_.changes()[changed.change];
    clause.push_back(-change.changed);
    clause.push_back(-change.options[changed.option].literal);
  }
  sat_.AddClause(clause);
}

}  // namespace hone::kconfig
