// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "hone/base/cache_folder.h"
#include "hone/base/process/subprocess.h"
#include "hone/cli/verbs/kconfig_actions.h"
#include "hone/domains/kconfig/build/kernel_setup.h"

namespace hone::cli {
namespace {

using kernels::NeededPackage;

constexpr char kSources[] = "/usr/src";
constexpr int kFirstKernelS = 700;  // Of processor time, for a small one.

std::vector<NeededPackage> MissingFor(const std::string& package, const kernels::GuestArch& arch) {
  std::vector<NeededPackage> needed = PackagesToBuild(arch, CrossPrefix(arch));
  needed.push_back(PackageToBoot(arch));
  const auto tree = kernels::PlaceOfTree(package, CacheFolder());
  if (tree == package) {
    needed.push_back({fmt::format("{}/{}.tar.xz", kSources, package), package, "the source"});
  }
  return kernels::MissingOf(needed);
}

std::string InstallPlanText(const std::string& package, const std::vector<NeededPackage>& missing) {
  std::string text;
  for (const NeededPackage& one : missing) {
    text += fmt::format("  {:<24} {}\n", one.package, one.reason);
  }
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  return fmt::format(
      "{}{}To download: up to some 250 MB, a minute or two; {} takes 1.5 GB and half a minute to "
      "unpack.\nThe first small kernel then takes about {} min on {} processor{}, later ones what "
      "changed.\n",
      missing.empty() ? "All packages are here.\n" : "These packages of Debian are missing:\n",
      text, package, (kFirstKernelS / processors + 59) / 60, processors,
      processors == 1 ? "" : "s");
}

bool IsAgreed(Shell& shell, bool is_sure) {
  if (is_sure) return true;
  if (::isatty(STDIN_FILENO) == 0 || !shell.console.is_err_terminal) return false;
  shell.console.err << "Install? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

Result<void> RunApt(std::vector<std::string> arguments) {
  Command command;
  command.arguments = {"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"};
  for (std::string& argument : arguments) command.arguments.push_back(std::move(argument));
  command.limit = std::chrono::minutes{60};
  const auto ran = RunProcess(command);
  if (!ran) return ran.error();
  if (ran->end == ProcessResult::End::kExited && ran->status == 0) return {};
  return Error{Errc::kUnavailable, "apt-get: " + ran->errors};
}

Result<void> InstallPackages(const std::vector<NeededPackage>& missing) {
  std::vector<std::string> arguments{"install", "-y", "--no-install-recommends"};
  for (const NeededPackage& one : missing) {
    for (std::string_view rest = one.package; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      arguments.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
  }
  if (RunApt(arguments)) return {};
  if (auto updated = RunApt({"update"}); !updated) return updated;  // Its lists may be old.
  return RunApt(arguments);
}

}  // namespace

Result<ExitCode> KconfigInstall(Shell& shell, const KconfigRequest& request) {
  const std::string& package = request.tree;
  if (!package.starts_with("linux-source-") || package.find('/') != std::string::npos) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{}: expected a source package of Debian, as linux-source-6.1", package)};
  }
  const auto arch = kernels::GuestArchNamed(request.arch);
  if (!arch) return arch.error();
  const auto missing = MissingFor(package, *arch);
  shell.console.out << InstallPlanText(package, missing) << std::flush;
  if (!IsAgreed(shell, request.is_sure)) {
    shell.console.out << "Nothing was installed; --yes installs without asking.\n";
    return ExitCode::kNo;
  }
  if (!missing.empty() && ::geteuid() != 0) {
    return Error{Errc::kUnavailable, "installing packages needs root: sudo hone kconfig install"};
  }
  if (!missing.empty()) {
    if (auto installed = InstallPackages(missing); !installed) return installed.error();
  }
  auto tree = kernels::PlaceOfTree(package, CacheFolder());
  if (tree == package) {
    auto unpacked = kernels::UnpackSource(package, kSources, CacheFolder());
    if (!unpacked) return unpacked.error();
    tree = std::move(*unpacked);
  }
  shell.console.out << fmt::format("The source lies in {}.\nNext:  {} tune kconfig -o tree={} …\n",
                                   tree.string(), shell.invocation.program, package);
  return ExitCode::kYes;
}

}  // namespace hone::cli
