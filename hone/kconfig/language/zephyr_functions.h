// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::kconfig {

// What Zephyr adds to the macro language (its scripts/kconfig/kconfigfunctions.py): arithmetic,
// texts, and questions to a devicetree, answered as where there is none. Nullopt: no such function.
// An Error says why there is no answer, as where its own tool ends.
std::optional<Result<std::string>> CallZephyrFunction(
    std::string_view name, const std::vector<std::string>& arguments,
    const std::function<std::string(std::string_view)>& variable);

}  // namespace hone::kconfig
