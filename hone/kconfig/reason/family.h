// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hone/kconfig/reason/solve.h"

namespace hone::kconfig {

// The board, the processor family and the like: what nobody expects another option to change.
// These are the members of choices below a folder of architectures or boards whose title names
// such a thing, and 64BIT.
bool IsFamily(const Tree& tree, SymbolId id);

// The effects of the solution that are another family.
std::vector<Change> FamilyChanges(const Tree& tree, const Solution& solution);

// The best solution that keeps the family; nullopt if there is none, or if it is wished for itself.
Result<std::optional<Solution>> NearestInFamily(const Solver& solver, const Configuration& start,
                                                SolveRequest request);

}  // namespace hone::kconfig
