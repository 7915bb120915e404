// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/kconfig/reason/solve.h"

namespace hone::kconfig {

// Why a request cannot be met: the rules of the symbols that the search defined, each of which can
// be left out, until none can. kUnsupported if these rules do not contradict each other after all.
Result<std::vector<Clause>> ProveConflict(const TreeIndex& index, const Configuration& start,
                                          const SolveRequest& request,
                                          const std::vector<SymbolId>& defined);

// The commands in the definitions of the symbols whose rules these are, each once.
std::vector<CommandResult> CommandsBehind(const Tree& tree, const std::vector<Clause>& clauses);

}  // namespace hone::kconfig
