// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hone/kconfig/reason/solver_encoding.h"
#include "hone/kconfig/reason/solver_sat.h"

namespace hone::kconfig {

// Counts which of some literals hold: Output(k) is true if at least k do. Rows are made when asked
// for (a sequential counter, Sinz 2005).
class Counter {
 public:
  Counter(SatSolver& sat, std::vector<Literal> inputs);
  Literal Output(std::size_t at_least);  // kFalseLiteral for more than there are.

 private:
  SatSolver& sat_;
  std::vector<Literal> inputs_;
  std::vector<std::vector<Literal>> rows_;  // rows_[k][i]: k + 1 of the first i + 1 hold.
};

// A user value that a model changes.
struct Changed {
  std::size_t change = 0;  // Index into Encoding::changes.
  std::size_t option = 0;

  friend bool operator==(const Changed&, const Changed&) = default;
};

// Walks through the sets of user values that meet the demands, those with the fewest changes first.
//
// Core-guided (OLL: Morgado, Dodaro and Marques-Silva, 2014): every user value is assumed to stay;
// a set of assumptions that cannot hold together proves that one of them must give way. Symbols
// that are only mentioned are assumed to keep their value as well; one that is in such a set is
// defined, which is free. So only what bears on the demands is ever encoded, and yet a set that
// is found is a smallest one, and "none" holds for the whole tree.
class Minimum {
 public:
  enum class SearchEnd : std::uint8_t { kFound, kNoMore, kGaveUp };

  Minimum(Encoding& encoding, SatSolver& sat, std::int64_t conflicts)
      : encoding_(encoding), sat_(sat), conflicts_(conflicts) {}

  SearchEnd Next();
  std::size_t cost() const { return cost_; }
  const std::vector<Changed>& found() const { return found_; }

  // Next does not give the same changes, or more than these, again.
  void Exclude(const std::vector<Changed>& changes);

  std::int64_t questions() const { return questions_; }

 private:
  struct Soft {
    std::size_t counter = 0;  // 0: a change itself; else the number of the counter, from 1.
    std::size_t at_least = 0;
  };

  void TakeNew();
  SatSolver::SatAnswer Ask(const std::vector<Literal>& assumptions);
  std::vector<Literal> Trim(std::vector<Literal> core);
  bool DefineOpen(const std::vector<Literal>& core);
  void Relax(const std::vector<Literal>& core);
  void AddSoft(Literal assumption, Soft soft);
  void ReadModel();

  Encoding& encoding_;
  SatSolver& sat_;
  std::int64_t conflicts_;
  std::size_t cost_ = 0;
  std::size_t mentioned_taken_ = 0;
  std::size_t changes_taken_ = 0;
  std::vector<std::pair<Literal, SymbolId>> open_;
  std::unordered_map<Literal, SymbolId> symbol_of_open_;
  std::vector<Literal> softs_;
  std::unordered_map<Literal, Soft> soft_of_;
  std::vector<Counter> counters_;
  std::vector<Changed> found_;
  std::int64_t questions_ = 0;
};

}  // namespace hone::kconfig
