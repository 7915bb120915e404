// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "hone/kconfig/files/kernel_environment.h"

namespace hone::kconfig {

// The defconfig file that `make NAME` would take: a file of that name, or one of the tree's (with
// or without its _defconfig); for an empty name the usual one of the architecture. An Error that
// names near ones if there is none.
Result<std::filesystem::path> FindDefconfig(const TreePlace& place, const std::string& name);

// Its text. With #include in it (U-Boot) it goes through the preprocessor of CC, as U-Boot's
// Makefile has it; that runs as the commands of the tree do, since it reads what the tree names.
Result<std::string> ReadDefconfig(const TreePlace& place, const std::filesystem::path& file,
                                  const LoadOptions& options);

}  // namespace hone::kconfig
