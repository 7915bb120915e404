// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "hone/kconfig/tree/expression.h"
#include "hone/kconfig/tree/types.h"

namespace hone::kconfig {

// True if the text can be a value of the type: "-12", "0x1f", "y".
bool IsValidText(SymbolType type, std::string_view text);

// The number that a text begins with, as strtoll reads it.
long long NumberOf(std::string_view text, int base);

// The base of numbers of the type: 10, 16, or 0 for "as it is written".
int BaseOf(SymbolType type);

// What a comparison of two values gives: by number if both are numbers under their types, else by
// text.
bool Compare(Operation operation, SymbolType left_type, std::string_view left,
             SymbolType right_type, std::string_view right);

// n, m or y, in either case.
std::optional<Tristate> ReadTristate(std::string_view text);

}  // namespace hone::kconfig
