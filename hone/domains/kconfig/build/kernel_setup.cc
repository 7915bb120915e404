// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/kernel_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

std::string PackageOfCompiler(const GuestArch& arch, const std::string& cross) {
  if (cross.empty()) return "gcc";
  std::string name = arch.machine;  // Packages have no underscore.
  std::replace(name.begin(), name.end(), '_', '-');
  return fmt::format("gcc-{0}-linux-gnu libc6-dev-{1}-cross", name,
                     arch.name == "x86_64"  ? "amd64"
                     : arch.name == "riscv" ? "riscv64"
                                            : arch.name);
}

bool IsHere(const std::string& file) {
  std::error_code fault;
  if (file.starts_with('/')) return fs::exists(file, fault);
  return FindProgram(file, SearchPath()).has_value();
}

}  // namespace

std::vector<NeededPackage> PackagesToBuild(const GuestArch& arch, const std::string& cross) {
  std::vector<NeededPackage> needed{
      {"make", "make", "the kernel's build"},
      {"flex", "flex", "its reader of options"},
      {"bison", "bison", "the same"},
      {"bc", "bc", "its constants of time"},
      {"perl", "perl", "its generated sources"},
      {cross + "gcc", PackageOfCompiler(arch, cross), "the compiler"}};
  if (arch.name == "x86_64") {
    needed.push_back({"/usr/include/libelf.h", "libelf-dev", "its check of objects"});
  }
  return needed;
}

NeededPackage PackageToBoot(const GuestArch& arch) {
  const std::string package = arch.name == "x86_64"  ? "qemu-system-x86"
                              : arch.name == "arm64" ? "qemu-system-arm"
                                                     : "qemu-system-misc";
  return {arch.qemu, package, "the machine that boots it"};
}

std::vector<NeededPackage> MissingOf(const std::vector<NeededPackage>& needed) {
  std::vector<NeededPackage> missing;
  std::copy_if(needed.begin(), needed.end(), std::back_inserter(missing),
               [](const NeededPackage& one) { return !IsHere(one.file); });
  return missing;
}

fs::path PlaceOfTree(const fs::path& tree, const fs::path& cache) {
  std::error_code fault;
  if (fs::exists(tree, fault) || tree.has_parent_path()) return tree;
  const fs::path unpacked = cache / "kernel-sources" / tree;
  return fs::is_directory(unpacked, fault) ? unpacked : tree;
}

Result<fs::path> UnpackSource(const std::string& package, const fs::path& sources,
                              const fs::path& cache) {
  const fs::path place = cache / "kernel-sources" / package;
  std::error_code fault;
  if (fs::is_directory(place, fault)) return place;
  const fs::path archive = sources / (package + ".tar.xz");
  if (!fs::exists(archive, fault)) {
    return Error{Errc::kNotFound, fmt::format("{}: it is not there", archive.string())};
  }
  if (auto made = MakeFolder(place.parent_path()); !made) return made.error();
  auto scratch = TempDir::Make("unpacking", place.parent_path());
  if (!scratch) return scratch.error();
  const fs::path half = scratch->path() / "tree";
  if (auto made = MakeFolder(half); !made) return made.error();
  Command command;
  command.arguments = {"tar",         "-x", "--strip-components=1", "-C",
                       half.string(), "-f", archive.string()};
  command.limit = std::chrono::minutes{30};
  const auto ran = RunProcess(command);
  if (!ran) return ran.error();
  if (ran->end != ProcessResult::End::kExited || ran->status != 0) {
    return Error{Errc::kUnavailable, fmt::format("{}: {}", archive.string(), ran->errors)};
  }
  fs::rename(half, place, fault);
  if (fault)
    return Error{Errc::kUnavailable, fmt::format("{}: {}", place.string(), fault.message())};
  return place;
}

}  // namespace hone::kernels
