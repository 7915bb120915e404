// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/kernel_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <vector>

#include "hone/base/cache_folder.h"
#include "hone/base/process/subprocess.h"
#include "hone/core/rng.h"
#include "hone/domains/kconfig/build/kernel_setup.h"
#include "hone/kconfig/files/kernel_environment.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

Result<void> CheckTools(const GuestArch& arch, const std::string& cross) {
  std::string missing;
  for (const NeededPackage& one : MissingOf(PackagesToBuild(arch, cross))) {
    missing += " " + one.package;
  }
  if (missing.empty()) return {};
  return Error{Errc::kUnavailable,
               fmt::format("to build kernels for {} this machine lacks:{}; apt-get install "
                           "--no-install-recommends{}",
                           arch.name, missing, missing)};
}

Result<std::string> AskCompiler(const std::string& compiler) {
  Command command;
  command.arguments = {compiler, "--version"};
  const auto ran = RunProcess(command);
  if (!ran) return ran.error();
  return ran->output.substr(0, ran->output.find('\n'));
}

// By names, sizes and times, as git's index does it.
Result<std::string> IdentityOf(const fs::path& tree) {
  std::vector<std::string> lines;
  std::error_code fault;
  for (fs::recursive_directory_iterator at(tree, fault), end; !fault && at != end;
       at.increment(fault)) {
    if (at->path().filename() == ".git") {
      at.disable_recursion_pending();
      continue;
    }
    struct stat status {};
    if (::lstat(at->path().c_str(), &status) != 0 || S_ISDIR(status.st_mode)) continue;
    lines.push_back(fmt::format("{} {} {}.{}", at->path().lexically_relative(tree).string(),
                                status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec));
  }
  if (fault) {
    return Error{Errc::kUnavailable, fmt::format("{}: {}", tree.string(), fault.message())};
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{:016x}", DigestOf(fmt::format("{}", fmt::join(lines, "\n"))));
}

}  // namespace

Result<KernelSource> FindKernelSource(const fs::path& tree, std::string_view arch) {
  KernelSource source;
  std::error_code fault;
  source.tree = fs::canonical(PlaceOfTree(tree, CacheFolder()), fault);
  if (fault) {
    return Error{
        Errc::kNotFound,
        fmt::format("{}: there is no such folder; Debian's source and all that it takes to "
                    "build and boot it is had by hone kconfig install linux-source-6.1",
                    tree.string())};
  }
  source.version = kconfig::KernelVersion(source.tree);
  if (source.version.empty() || !fs::exists(source.tree / "init/main.c")) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{}: not the source of Linux (it has no init/main.c); Debian's is had "
                    "by apt-get install linux-source, then tar -xf /usr/src/linux-source-*",
                    source.tree.string())};
  }
  if (fs::exists(source.tree / ".config")) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: something was built inside the tree; make -C {} mrproper first "
                             "(what is built here lies elsewhere)",
                             source.tree.string(), source.tree.string())};
  }
  const auto found = GuestArchNamed(arch);
  if (!found) return found.error();
  source.arch = *found;
  source.cross = CrossPrefix(source.arch);
  if (auto tools = CheckTools(source.arch, source.cross); !tools) return tools.error();
  auto compiler = AskCompiler(source.cross + "gcc");
  if (!compiler) return compiler.error();
  source.compiler = std::move(*compiler);
  auto identity = IdentityOf(source.tree);
  if (!identity) return identity.error();
  source.identity = std::move(*identity);
  return source;
}

}  // namespace hone::kernels
