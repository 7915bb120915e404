// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hone {

// $PATH, or the usual places where it is not set.
std::string SearchPath();

// The absolute path of the first file of this name in `places` that can be executed. `places` are
// folders with colons between them; an empty one is the current folder. nullopt: there is none.
std::optional<std::string> FindProgram(const std::string& name, std::string_view places);

}  // namespace hone
