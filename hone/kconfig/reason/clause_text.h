// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/kconfig/reason/solve.h"
#include "hone/kconfig/reason/solver_encoding.h"

namespace hone::kconfig {

// A statement of a proof, in words and with its place in the files.
Clause DescribeDemand(const Tree& tree, ClauseKind kind, SymbolId id, const std::string& value);
Clause DescribeRule(const TreeIndex& index, SymbolId id, Side side);

}  // namespace hone::kconfig
