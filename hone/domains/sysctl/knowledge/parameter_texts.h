// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hone::sysctl {

// The files of data/parameters/ (name, text), embedded in the program. Made by CMake.
std::vector<std::pair<std::string, std::string>> ParameterTexts();

}  // namespace hone::sysctl
