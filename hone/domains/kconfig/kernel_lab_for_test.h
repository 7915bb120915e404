// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "hone/base/clock.h"
#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/build/kernel_store.h"
#include "hone/domains/kconfig/build/rebuild_cost.h"
#include "hone/domains/kconfig/guest/guest_result.h"
#include "hone/domains/kconfig/kernel_lab.h"

// Kernels that are texts and guests that read them: a lab without a compiler and without QEMU.
namespace hone::kernels {

// The "image" is the configuration itself. CONFIG_BROKEN=y does not build, nor do CONFIG_LEFT=y and
// CONFIG_RIGHT=y together.
class FakeKernelBuilder final : public KernelBuilder {
 public:
  explicit FakeKernelBuilder(std::filesystem::path folder) : store_(std::move(folder)) {}

  Result<KernelBuild> Build(const KernelOrder& order) override {
    const std::string essence = EssenceOf(order.config);
    if (auto known = store_.Find(essence)) return KernelBuild{std::move(*known), true};
    const auto has = [&](const char* line) { return essence.find(line) != std::string::npos; };
    if (has("CONFIG_BROKEN=y") || (has("CONFIG_LEFT=y") && has("CONFIG_RIGHT=y"))) {
      KernelBuild build;
      build.reason = "kernel/broken.c:1: error: it is broken";
      build.log = build.reason;
      return build;
    }
    ++built_;
    BuiltKernel kernel;
    auto folder = TempDir::Make("hone-fake-kernel");
    if (!folder) return folder.error();
    kernel.image = folder->path() / "image";
    if (auto written = WriteFileAtomically(kernel.image, essence); !written) return written.error();
    kernel.image_bytes = static_cast<std::int64_t>(essence.size());
    kernel.text_bytes = kernel.image_bytes;
    auto kept = store_.Keep(essence, kernel);
    if (!kept) return kept.error();
    KernelBuild build{std::move(*kept)};
    build.log = "  CC      kernel/fast.o\n";
    return build;
  }

  std::optional<std::size_t> CostOf(const std::string& config) override {
    return store_.Find(EssenceOf(config)) ? 0 : 1;
  }

  // The timer's frequency is in everything, other options are leaves.
  std::optional<std::size_t> CostBetween(const std::string& from, const std::string& to) override {
    const auto options = DifferentOptions(EssenceOf(from), EssenceOf(to));
    return options.contains("HZ_100") || options.contains("HZ_1000") ? 500 : options.size();
  }

  int built() const { return built_; }

 private:
  KernelStore store_;
  std::atomic<int> built_ = 0;
};

// CONFIG_FAST=y makes every call a tenth cheaper, as does "swift" on the command line whatever its
// value; CONFIG_PANICS=y does not boot, CONFIG_DEAF=y has no sockets. A guest of 4 GiB never ends.
class FakeGuest final : public Guest {
 public:
  Result<GuestReport> Boot(const GuestOrder& order) override {
    const auto image = ReadFile(order.image);
    if (!image) return image.error();
    const auto has = [&](const char* option) {
      return image->find(fmt::format("CONFIG_{}=y", option)) != std::string::npos;
    };
    if (order.memory_mib == 4096 || order.initramfs.find("wait ever") != std::string::npos) {
      if (order.console >= 0) ::send(order.console, "booting\n", 8, MSG_NOSIGNAL);
      // Where nobody can ask it to stop, its limit comes at once.
      if (order.stop.stop_possible()) SleepUntilStop(SystemClock(), order.limit, order.stop);
      GuestReport report = JudgeGuest({"booting\n", false, false});
      if (order.stop.stop_requested()) report.end = GuestEnd::kStopped;
      return report;
    }
    if (has("PANICS"))
      return JudgeGuest({"Kernel panic - not syncing: as asked for\n", false, true});
    if (order.initramfs.find(kHasInit) == std::string::npos) {
      return JudgeGuest({"Kernel panic - not syncing: No working init found.\n", false, true});
    }
    GuestReport report = JudgeGuest({"Linux version 6.1\n", true, true});
    const bool is_swift = order.command_line.find("swift") != std::string::npos;
    report.result = Answer(order, has("FAST") || is_swift ? 0.9 : 1.0, has("DEAF"));
    return report;
  }

 private:
  static constexpr std::string_view kHasInit{"00000000init\0", 13};  // A name in the archive.

  static std::string After(const std::string& text, const std::string& word) {
    const std::size_t at = text.find(word);
    if (at == std::string::npos) return "";
    return text.substr(at + word.size(), text.find('\n', at) - at - word.size());
  }

  // Of a workload of one's own, by the name of its command: "good" has a rate, "bad" ends with 3.
  static std::string CommandAnswer(const std::string& initramfs, double ticks) {
    if (initramfs.find("do measure\n") == std::string::npos) return "";
    const std::string name = After(initramfs, "arg ");
    return fmt::format(
        R"(,"command":{{"status":{},"ticks":{:.0f},"clock_ns":{:.0f},"clock_step_ns":40,)"
        R"("output":"{}","log":"{}"}})",
        name == "bad" ? 3 : 0, ticks, ticks,
        name == "good" ? fmt::format("rate {}", 1e9 / ticks) : "", "no such option");
  }

  // Layout makes a difference of its own, the same for the same seed.
  static std::string Answer(const GuestOrder& order, double factor, bool is_deaf) {
    const double layout = 1 + static_cast<double>(order.seed % 7) / 100;
    std::string workloads;
    for (const std::string& name : WorkloadNames()) {
      if (order.initramfs.find("run " + name + "\n") == std::string::npos) continue;
      const auto ticks = static_cast<std::int64_t>(1e6 * layout * factor);
      workloads += fmt::format("{}\"{}\":", workloads.empty() ? "" : ",", name);
      workloads += is_deaf && name == "socket"
                       ? "null"
                       : fmt::format(R"({{"calls":100,"ticks":{0},"clock_ns":{0}}})", ticks);
    }
    return fmt::format(R"({{"nonce":"{}","booted":1000000,"booted_clock_ns":1,)"
                       R"("ticks_per_second":1000000000,"memory_total_kib":250000,)"
                       R"("memory_free_kib":240000,"workloads":{{{}}}{}}})",
                       After(order.initramfs, "nonce "), workloads,
                       CommandAnswer(order.initramfs, 1e6 * layout * factor));
  }
};

// The options of a small tree in Linux's manner.
inline constexpr char kFakeTree[] = R"(mainmenu "A small kernel"
config FAST
	bool "Faster calls"
config PANICS
	bool "Does not boot"
config BROKEN
	bool "Does not build"
config LEFT
	bool "Does not build with RIGHT"
config RIGHT
	bool "Does not build with LEFT"
config DEAF
	bool "Without sockets"
config DEEP
	bool "Needs another"
	depends on BELOW
config BELOW
	bool "What it needs"
config NEVER
	bool "Cannot be"
	depends on FAST && !FAST
config SECCOMP
	bool "Security"
config X_ERRATUM_1
	bool "A fault of the processor"
config FAULTY
	bool "Brings in a fault of the processor"
	select X_ERRATUM_1
config LOOSE
	bool "Brings in what is protected"
config LSM
	bool
	default y if LOOSE
config ODD
	bool "Selects what others wish for"
	select FAST
	select BELOW
config WELL
	bool "Needs what the odd one selects"
	depends on FAST && BELOW
config ROOM
	bool "Has something in it"
config INSIDE
	bool "There unless it is refused"
	depends on ROOM
	default y
menu "Speeds"
config SPEED
	int "How fast"
	range 1 1000
	default 250
config WINDOW
	hex "How large"
	range 0x1 0x100
	default 0x10
choice
	prompt "Timer frequency"
	default HZ_250
config HZ_100
	bool "100"
config HZ_250
	bool "250"
config HZ_1000
	bool "1000"
endchoice
endmenu
)";

inline Result<KernelLab> MakeFakeLab(const std::filesystem::path& tree,
                                     const std::filesystem::path& cache) {
  KernelLab lab;
  lab.source.tree = tree;
  lab.source.version = "6.1";
  auto arch = GuestArchNamed("x86_64");
  if (!arch) return arch.error();
  lab.source.arch = std::move(*arch);
  lab.builder = std::make_unique<FakeKernelBuilder>(cache / "kernels");
  lab.guest = std::make_unique<FakeGuest>();
  lab.cache = cache;
  return lab;
}

}  // namespace hone::kernels
