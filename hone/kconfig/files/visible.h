// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "hone/kconfig/files/load.h"

// What a tree that is not trusted sees of the machine.
namespace hone::kconfig {

// Its environment: what kernel trees ask for, and the variables that are passed by name. Of PATH
// only the folders that its commands see.
Environment VisibleEnvironment(const LoadOptions& options);

// The folders that its commands see, absolute: its own, those that were granted, and those of tools
// (CC, CROSS_COMPILE, …) that the user names by an absolute path. kInvalidArgument for a tool whose
// folder holds too much else.
Result<std::vector<std::filesystem::path>> VisibleFolders(const LoadOptions& options);

// The working folder of its commands if they see it, or nothing.
std::string VisibleWorkFolder(const LoadOptions& options,
                              const std::vector<std::filesystem::path>& folders);

// Of the tools whose variables a tree used, those that the user's PATH has elsewhere, in words: the
// tree's commands find others, or none.
std::vector<std::string> HiddenTools(const LoadOptions& options, std::span<const NamedText> used);

}  // namespace hone::kconfig
