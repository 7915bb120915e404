// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The known name that was probably meant; none if nothing is close.
std::optional<std::string> Nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace hone
