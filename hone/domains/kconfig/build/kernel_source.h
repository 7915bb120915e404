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
  std::string tools;     // SHA-256 over the contents of compiler, assembler and linker.
  std::string identity;  // TreeIdentity::contents, when it was looked at.
};

// Looks at a tree; an error says what is missing on this machine and how to get it.
Result<KernelSource> FindKernelSource(const std::filesystem::path& tree, std::string_view arch);

// Where IdentifyTree keeps what it read, in the folder of everything that can be made again.
std::filesystem::path DigestsFolder(const std::filesystem::path& cache);

}  // namespace hone::kernels
