// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/kconfig/tree/builder.h"

namespace hone::kconfig {

// Tells every dependency loop, one diagnostic each, with the path: in the order and the words of
// the C tool.
void ReportCycles(TreeBuilder& builder);

// All symbols in the order of the C tool's hash table, in which it looks for loops and writes
// auto.conf: by the hash of the name, newest first.
std::vector<SymbolId> HashOrder(std::span<const Symbol> symbols, std::uint32_t buckets);

}  // namespace hone::kconfig
