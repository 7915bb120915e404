// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/kconfig/guest/guest_arch.h"

namespace hone::kernels {

// A package of Debian, by a file that it brings: a program in PATH, or a whole path.
struct NeededPackage {
  std::string file;
  std::string package;  // Or several, separated by blanks.
  std::string reason;
};

// To build kernels for the processor; `cross` is the prefix of the tools.
std::vector<NeededPackage> PackagesToBuild(const GuestArch& arch, const std::string& cross);
NeededPackage PackageToBoot(const GuestArch& arch);

// Those of them whose file is not here.
std::vector<NeededPackage> MissingOf(const std::vector<NeededPackage>& needed);

// A source tree by its folder, or by the name of a package of Debian (linux-source-6.1) that was
// unpacked into the cache. The path as it is given if there is neither.
std::filesystem::path PlaceOfTree(const std::filesystem::path& tree,
                                  const std::filesystem::path& cache);

// Unpacks what a source package laid into `sources` (/usr/src) to where PlaceOfTree finds it. What
// is there already stays; what ends half-way leaves nothing.
Result<std::filesystem::path> UnpackSource(const std::string& package,
                                           const std::filesystem::path& sources,
                                           const std::filesystem::path& cache);

}  // namespace hone::kernels
