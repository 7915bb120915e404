// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "hone/core/result.h"

namespace hone::compute {

// What a shared library (ELF, 64 bit) takes from others and gives to them.
struct LibrarySymbols {
  std::set<std::string> imports;    // Undefined: it calls them.
  std::set<std::string> exports;    // Functions, defined and visible, weak ones left out.
  std::set<std::string> libraries;  // That it asks the loader for.
};

// The file may be hostile: whatever its headers say, nothing outside of it is read.
Result<LibrarySymbols> ReadLibrarySymbols(std::string_view file);

}  // namespace hone::compute
