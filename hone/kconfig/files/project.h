// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "hone/kconfig/language/macro.h"

namespace hone::kconfig {

// What the Makefile of a project (U-Boot, Buildroot, coreboot, Xen, NuttX, …) does before it calls
// its tool.
struct Project {
  Environment variables;    // What it exports, apart from what Linux exports too.
  std::string preparation;  // What makes the files that the tree's Kconfig reads; empty: nothing.
  bool is_its_folder = false;  // Commands run in the tree, wherever the .config is.

  // Its commands write files that its Kconfig reads (Unikraft): restricted ones leave the tree
  // without most of its symbols, and nobody would notice.
  bool needs_free_commands = false;
};

Project ProjectAt(const std::filesystem::path& root);

// The major number of the compiler whose --version begins so; empty if there is none.
std::string MajorVersionOf(const std::string& version_text);

}  // namespace hone::kconfig
