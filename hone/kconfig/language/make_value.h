// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hone::kconfig {

// The text behind "NAME =" at the beginning of a line of a Makefile; empty if there is none.
std::string MakeValue(std::string_view makefile, std::string_view name);

}  // namespace hone::kconfig
