// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "hone/core/result.h"
#include "hone/domains/kconfig/guest/guest_arch.h"

namespace hone::kernels {

// A source tree, and by what it is built here.
struct KernelSource {
  std::filesystem::path tree;
  std::string version;  // "6.1.190"
  GuestArch arch;
  std::string
      cross;  // The prefix of the tools: "riscv64-linux-gnu-", empty for this machine's own.
  std::string compiler;  // What it says of itself.
  std::string identity;  // Of what lies in the tree: another one if a file is changed.
};

// Looks at a tree; an error says what is missing on this machine and how to get it.
Result<KernelSource> FindKernelSource(const std::filesystem::path& tree, std::string_view arch);

}  // namespace hone::kernels
