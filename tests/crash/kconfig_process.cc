// SPDX-License-Identifier: Apache-2.0
// The whole program with another kernel lab: `kconfig_process LOG ARGUMENTS…`. Kernels are built by
// make in a sandbox as always, from a tree in kbuild's shape; guests are fakes that take a moment.
// LOG gets a line when a kernel is asked for ("asked ID"), one when it is there ("built ID", "known
// ID", "failed ID"), and "boot" and "booted".
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <utility>

#include "hone/app/builtins.h"
#include "hone/app/kconfig/guest_workload_of.h"
#include "hone/base/cache_folder.h"
#include "hone/base/clock.h"
#include "hone/base/descriptor.h"
#include "hone/cli/run_cli.h"
#include "hone/core/rng.h"
#include "hone/domains/kconfig/build/kbuild.h"
#include "hone/domains/kconfig/kconfig_domain.h"
#include "hone/domains/kconfig/kernel_lab_for_test.h"

namespace hone::kernels {
namespace {

// Survives SIGKILL: a line is written whole or not at all.
class LogFile {
 public:
  explicit LogFile(const std::string& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {}

  void Say(const std::string& text) const {
    const std::string line = text + "\n";
    if (::write(file_.get(), line.data(), line.size()) < 0) std::abort();
  }

 private:
  Descriptor file_;
};

class LoggedBuilder final : public KernelBuilder {
 public:
  LoggedBuilder(KernelSource source, const std::filesystem::path& cache, const LogFile& log)
      : builder_(std::move(source), cache), log_(log) {}

  Result<KernelBuild> Build(const KernelOrder& order) override {
    const std::string id = fmt::format("{:016x}", DigestOf(EssenceOf(order.config)));
    log_.Say("asked " + id);
    auto build = builder_.Build(order);
    const bool is_known = build && build->is_known;
    const bool is_built = build && build->kernel;
    log_.Say((is_known ? "known " : is_built ? "built " : "failed ") + id);
    return build;
  }

  std::optional<std::size_t> CostOf(const std::string& config) override {
    return builder_.CostOf(config);
  }
  std::optional<std::size_t> CostBetween(const std::string& from, const std::string& to) override {
    return builder_.CostBetween(from, to);
  }

 private:
  Kbuild builder_;
  const LogFile& log_;
};

class LoggedGuest final : public Guest {
 public:
  explicit LoggedGuest(const LogFile& log) : log_(log) {}

  Result<GuestReport> Boot(const GuestOrder& order) override {
    log_.Say("boot");
    SleepUntilStop(SystemClock(), std::chrono::milliseconds{10}, order.stop);
    auto report = guest_.Boot(order);
    log_.Say("booted");
    return report;
  }

 private:
  FakeGuest guest_;
  const LogFile& log_;
};

Result<KernelLab> OpenLoggedLab(const std::filesystem::path& tree, const LogFile& log) {
  auto source = FindKernelSource(tree, "");
  if (!source) return source.error();
  KernelLab lab;
  lab.source = *source;
  lab.cache = CacheFolder();
  lab.builder = std::make_unique<LoggedBuilder>(*source, lab.cache, log);
  lab.guest = std::make_unique<LoggedGuest>(log);
  return lab;
}

}  // namespace
}  // namespace hone::kernels

int main(int count, char** words) {
  if (count < 3) return 2;
  const hone::kernels::LogFile log(words[1]);
  hone::app::Builtins builtins = hone::app::MakeBuiltins("/proc/self/exe");
  builtins.domains[hone::kernels::kDomainName] = hone::KconfigDomainEntry(
      hone::app::ReadGuestWorkload, [&](const std::filesystem::path& tree, std::string_view) {
        return hone::kernels::OpenLoggedLab(tree, log);
      });
  return hone::cli::RunCli("hone", std::vector<std::string>(words + 2, words + count),
                           hone::cli::StandardConsole(), builtins);
}
