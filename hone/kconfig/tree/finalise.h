// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/kconfig/tree/builder.h"

namespace hone::kconfig {

// Carries dependencies down the menu tree and into every property, collects who selects and
// implies whom, makes submenus, groups choices, orders the symbols. Null if that found an error,
// such as a dependency loop; the builder's diagnostics say which.
std::shared_ptr<const Tree> Finalise(TreeBuilder& builder);

// Warnings about properties that do not fit their symbol.
void CheckProperties(TreeBuilder& builder);

// Fills parts.order; tells every dependency loop as an error.
void OrderSymbols(TreeBuilder& builder);

}  // namespace hone::kconfig
