// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/kconfig/tree/simplify.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

// What the C tool says about symbols, in its words: expressions are simplified as it does, and
// every symbol in them is shown with its value. The configuration must outlive it.
class Describer {
 public:
  explicit Describer(const Configuration& configuration);

  std::string Help(MenuId id);       // What it shows for `?`.
  std::string UnmetOf(SymbolId id);  // The warning that a select overrides dependencies.

 private:
  ExpressionId Simplified(ExpressionId id);
  std::string Show(ExpressionId id) const;
  std::string ShowCause(ExpressionId id);
  std::string Dependency(ExpressionId id, std::string_view title) const;
  std::string Definition(MenuId id);
  std::string Place(MenuId id) const;
  std::string Facts(SymbolId id) const;
  std::string Targets(SymbolId id, PropertyKind kind, std::string_view title) const;
  std::string Causes(ExpressionId id, Tristate level, std::string_view title);

  const Configuration& configuration_;
  const Tree& tree_;
  LargeList<Symbol> symbols_;
  ExpressionPool pool_;
  Simplifier simplifier_;
  std::vector<bool> is_dependency_;  // Expressions that are all that some entry depends on.
};

}  // namespace hone::kconfig
