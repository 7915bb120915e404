// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hone {

// With the letters A to Z made small; all else as it is, in every locale.
std::string LowerCase(std::string_view text);

}  // namespace hone
