// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hone::app {

std::string Version();  // "0.1.0"

// The compiler and the libraries that this program was built with: name and version.
std::vector<std::pair<std::string, std::string>> BuildFacts();

}  // namespace hone::app
