// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <future>
#include <ostream>
#include <stop_token>
#include <string_view>
#include <utility>

#include "hone/base/announce.h"
#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/json/json.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/terminal_relay.h"
#include "hone/cli/verbs/kconfig_actions.h"
#include "hone/domains/kconfig/guest/guest_shell.h"
#include "hone/domains/kconfig/kernel_lab.h"

namespace hone::cli {
namespace {

using kernels::KernelBuild;

std::string TextOf(const KernelBuild& build) {
  const kernels::BuiltKernel& kernel = *build.kernel;
  const std::string how =
      build.is_known
          ? std::string("was there already")
          : fmt::format("{:.0f} s, {} objects compiled",
                        std::chrono::duration<double>(kernel.took).count(), kernel.compiled);
  return fmt::format("built   {}; image {} bytes, code {}, data {}, bss {}\n", how,
                     kernel.image_bytes, kernel.text_bytes, kernel.data_bytes, kernel.bss_bytes);
}

Json BootJson(const KernelBuild& build, const RunResult& ran) {
  Json json{{"outcome", NameOf(ran.outcome)}, {"reason", ran.reason}};
  if (build.kernel) {
    json["image"] = build.kernel->image.string();
    json["build_s"] = std::chrono::duration<double>(build.kernel->took).count();
    json["objects_compiled"] = build.kernel->compiled;
    json["was_known"] = build.is_known;
  }
  for (const auto& [name, reading] : ran.sample.metrics) json["metrics"][name] = reading.value;
  for (const Evidence& evidence : ran.evidence) json["evidence"][evidence.what] = evidence.text;
  return json;
}

std::string TextOf(const RunResult& ran) {
  if (ran.outcome != Outcome::kAccepted) {
    std::string text = fmt::format("{}: {}\n", NameOf(ran.outcome), ran.reason);
    for (const Evidence& evidence : ran.evidence) {
      text += fmt::format("\n{}\n{}\n", evidence.what, evidence.text);
    }
    return text;
  }
  std::string text = "booted  and measured, in instructions for one call:\n";
  for (const auto& [name, reading] : ran.sample.metrics) {
    text += fmt::format("  {:<12} {:>14.{}f}\n", name, reading.value, name == "index" ? 3 : 1);
  }
  return text;
}

// A person at the guest's console, until the guest ends.
Result<ExitCode> BootForPerson(Shell& shell, kernels::KernelLab& lab,
                               const kernels::BuiltKernel& kernel, const std::stop_token& stop) {
  constexpr std::chrono::hours kMaxSitting{24};
  const auto files = kernels::GuestShellFiles(lab.source.arch, lab.program);
  if (!files) return files.error();
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return ErrnoError("socket", errno);
  }
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  kernels::GuestOrder order;
  order.arch = lab.source.arch;
  order.image = kernel.image;
  order.initramfs = kernels::MakeInitramfs(*files);
  order.console = theirs.get();
  order.limit = kMaxSitting;
  std::stop_source end;
  const std::stop_callback asked(stop, [&] { end.request_stop(); });
  order.stop = end.get_token();
  shell.console.err << "Ctrl-A x ends the guest\n" << std::flush;
  auto booted = std::async(std::launch::async, [&] {
    auto report = lab.guest->Boot(order);
    theirs.Close();  // By which the relay ends.
    return report;
  });
  const auto relayed = RelayTerminal(STDIN_FILENO, STDOUT_FILENO, ours.get());
  if (!relayed) end.request_stop();
  const auto report = booted.get();
  if (!report) return report.error();
  if (!relayed) return relayed.error();
  return ExitCode::kYes;
}

// Before minutes are spent on building.
Result<void> CheckPerson(const Shell& shell, const kernels::KernelLab& lab) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0 || shell.wants_json) {
    return Error{Errc::kInvalidArgument, "--interactive: needs a terminal, and not --json"};
  }
  const auto files = kernels::GuestShellFiles(lab.source.arch, lab.program);
  if (!files) return files.error();
  return {};
}

}  // namespace

Result<ExitCode> KconfigBoot(Shell& shell, const KconfigRequest& request) {
  auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  const std::stop_token stop = (*interrupts)->wrap_up();
  auto lab = kernels::OpenKernelLab(request.tree, request.arch);
  if (!lab) return lab.error();
  if (request.is_interactive) {
    if (auto fine = CheckPerson(shell, *lab); !fine) return fine.error();
  }
  const auto config =
      kernels::ConfigFor(*lab, request.config.empty() ? "small" : request.config, request.operands);
  if (!config) return config.error();
  const bool talks = !shell.wants_json && !shell.is_quiet;
  if (talks) {
    shell.console.out << fmt::format("kernel  Linux {} for {}, {}\n", lab->source.version,
                                     lab->source.arch.name, lab->source.compiler)
                      << std::flush;
    if (!config->effects.empty()) shell.console.out << "changes\n" << config->effects;
  }
  const AnnouncementListener listener([&](std::string_view text) {
    if (talks) shell.console.err << text << std::endl;
  });
  const auto build = lab->builder->Build({config->config, std::chrono::hours{6}, stop});
  if (!build) return build.error();
  RunResult ran;
  if (!build->kernel) {
    ran = kernels::ResultOf(*build);
  } else {
    if (talks) shell.console.out << TextOf(*build) << std::flush;
    if (request.is_interactive) return BootForPerson(shell, *lab, *build->kernel, stop);
    kernels::MeasureOrder order = kernels::MeasureAll(*lab, *build->kernel);
    order.stop = stop;
    auto booted = kernels::MeasureKernel(*lab->guest, order);
    if (!booted) return booted.error();
    ran = std::move(*booted);
  }
  shell.console.out << (shell.wants_json ? Dump(BootJson(*build, ran)) + "\n" : TextOf(ran));
  return ran.outcome == Outcome::kAccepted ? ExitCode::kYes : ExitCode::kNo;
}

}  // namespace hone::cli
