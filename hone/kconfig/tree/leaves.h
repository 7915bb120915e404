// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hone/kconfig/tree/expression.h"
#include "hone/kconfig/tree/types.h"

namespace hone::kconfig {

class Tree;

// Gathers the symbols that expressions mention, each once.
class LeafCollector {
 public:
  LeafCollector(const ExpressionPool& expressions, std::uint32_t symbol_count);

  void Start();  // Forgets what was gathered.
  void AddExpression(ExpressionId id);
  void AddSymbol(SymbolId id);
  const std::vector<SymbolId>& leaves() const { return leaves_; }

 private:
  const ExpressionPool& expressions_;
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> symbol_stamps_;
  std::vector<std::uint32_t> expression_stamps_;
  std::vector<ExpressionId> pending_;
  std::vector<SymbolId> leaves_;
};

// Adds all that the value of the symbol is computed from. For a choice that is what its members
// need too, because they are evaluated together; for a member it is the choice as well.
void ForEachInput(const Tree& tree, SymbolId id, LeafCollector& collector);

}  // namespace hone::kconfig
