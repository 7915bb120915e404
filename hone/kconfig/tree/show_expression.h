// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "hone/kconfig/tree/expression.h"

namespace hone::kconfig {

using AppendSymbol = std::function<void(std::string& out, SymbolId symbol)>;

// Writes the expression with the parentheses that it needs; `y` for kNone.
void AppendExpression(std::string& out, const ExpressionPool& pool, ExpressionId id,
                      const AppendSymbol& append);

}  // namespace hone::kconfig
