// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/kconfig/tree/tree.h"

namespace hone::kconfig {

// Names of defined symbols that were probably meant, the nearest first: a few wrong letters, or
// the same words in another order.
std::vector<std::string> NearNames(const Tree& tree, std::string_view name, std::size_t max = 5);

// "NUMMA: no symbol of this tree; near names: NUMA, …"
Error UnknownSymbol(const Tree& tree, std::string_view name);

}  // namespace hone::kconfig
