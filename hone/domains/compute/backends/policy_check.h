// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hone/domains/compute/backends/library_symbols.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

// What a library does that the problem's policy does not allow, as far as its symbols show it: one
// sentence, or nothing. What is done without symbols (a system call by hand) is the sandbox's and
// the judge's business.
std::optional<std::string> BreachOf(const Policy& policy, const LibrarySymbols& symbols);

}  // namespace hone::compute
