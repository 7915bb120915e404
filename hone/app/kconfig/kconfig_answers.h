// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/kconfig/reason/solve.h"
#include "hone/kconfig/values/configuration.h"

// What `hone kconfig explain` and `solve` answer, as text and as JSON; docs/kconfig-reasoning.md.
namespace hone::app {

// A tree to reason about, and the configuration to begin with.
struct Ground {
  std::shared_ptr<const kconfig::TreeIndex> index;
  kconfig::Configuration configuration;
  const kconfig::Tree& tree() const { return index->tree(); }
};

// Why a symbol has its value, who selects it, what depends on it.
Json ExplainJson(const Ground& ground, kconfig::SymbolId id);
std::string ExplainText(const Ground& ground, kconfig::SymbolId id);

// An answer that moves to another board or processor family, and the nearest one that does not.
struct FamilyMove {
  std::vector<kconfig::Change> changes;  // Empty: it does not.
  std::optional<kconfig::Solution> nearest;
};
Result<FamilyMove> FamilyMoveOf(const Ground& ground, const kconfig::Solver& solver,
                                const kconfig::SolveRequest& request,
                                const kconfig::SolveAnswer& answer);

std::string SolveText(const Ground& ground, const kconfig::SolveAnswer& answer,
                      const FamilyMove& move);
Json SolveJson(const Ground& ground, const kconfig::SolveAnswer& answer, const FamilyMove& move);

}  // namespace hone::app
