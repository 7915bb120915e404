// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hone/kconfig/files/load.h"

namespace hone::kconfig {

// How a kind of tree is loaded: what its own Makefile would set before it calls conf.
struct TreePlace {
  std::filesystem::path root;
  std::string file = "Kconfig";  // The root file: Kconfig, Config.in, src/Kconfig.
  std::string arch;              // As ARCH=…; empty where the tree needs none and none was given.
  std::string source_arch;       // The folder in arch/ that it reads; empty where it reads none.
};

// Finds the root file and the architecture: the given one, or that of this machine.
Result<TreePlace> LocateTree(const std::filesystem::path& root, std::string_view arch);

// The variables that the tree's Makefile would export, on top of `inherited`, which wins. The
// version text of the compiler is asked for by running it, unless the policy forbids that. It is
// the one that the tree's commands find, which see the granted folders too.
LoadOptions OptionsFor(const TreePlace& place, const Environment& inherited, ShellPolicy shell,
                       const std::vector<std::filesystem::path>& granted = {});

std::string SourceArchOf(std::string_view arch);               // x86_64 -> x86
std::string ArchOfMachine(std::string_view machine);           // aarch64 -> arm64
std::string KernelVersion(const std::filesystem::path& root);  // "6.1.190"; empty if unknown.

// The architectures of the tree, and the defconfig files of one.
std::vector<std::string> ArchesOf(const std::filesystem::path& root);
std::vector<std::filesystem::path> DefconfigsOf(const TreePlace& place);

}  // namespace hone::kconfig
