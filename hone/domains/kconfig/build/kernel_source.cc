// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/kernel_source.h"

#include <fmt/format.h>

#include <cstddef>
#include <system_error>
#include <vector>

#include "hone/base/cache_folder.h"
#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/sha256.h"
#include "hone/domains/kconfig/build/kernel_setup.h"
#include "hone/domains/kconfig/build/tree_identity.h"
#include "hone/kconfig/files/kernel_environment.h"
#include "hone/sandbox/sandbox.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTool = 512 << 20;

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

// Where the compiler has a part of itself that is in no folder of programs.
Result<std::string> PartOfCompiler(const std::string& compiler, const char* part) {
  Command command;
  command.arguments = {compiler, std::string("-print-prog-name=") + part};
  const auto ran = RunProcess(command);
  if (!ran) return ran.error();
  return ran->output.substr(0, ran->output.find('\n'));
}

// What makes a kernel's code, by the contents of its programs: two builds of a compiler may say the
// same of themselves.
Result<std::string> IdentityOfTools(const std::string& cross) {
  const std::string places = StandardEnvironment().at("PATH");
  std::vector<std::string> programs;
  for (const char* name : {"gcc", "as", "ld", "objcopy", "strip"}) {
    programs.push_back(FindProgram(cross + name, places).value_or(""));
  }
  const auto part = PartOfCompiler(cross + "gcc", "cc1");
  if (!part) return part.error();
  programs.push_back(*part);
  std::string all;
  for (const std::string& program : programs) {
    const auto bytes = program.starts_with('/') ? ReadFile(program, kMaxTool) : std::string();
    if (!bytes) return bytes.error();
    all += fmt::format("{} {}\n", program, Sha256Of(*bytes));
  }
  return Sha256Of(all);
}

}  // namespace

fs::path DigestsFolder(const fs::path& cache) { return cache / "file-digests"; }

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
  if (auto all = CheckTools(source.arch, source.cross); !all) return all.error();
  auto compiler = AskCompiler(source.cross + "gcc");
  if (!compiler) return compiler.error();
  source.compiler = std::move(*compiler);
  auto tools = IdentityOfTools(source.cross);
  if (!tools) return tools.error();
  source.tools = std::move(*tools);
  auto identity = IdentifyTree(source.tree, DigestsFolder(CacheFolder()));
  if (!identity) return identity.error();
  source.identity = std::move(identity->contents);
  return source;
}

}  // namespace hone::kernels
