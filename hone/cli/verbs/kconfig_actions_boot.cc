// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostream>
#include <string_view>
#include <utility>

#include "hone/base/announce.h"
#include "hone/base/json/json.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/verbs/kconfig_actions.h"
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

Json ToJson(const KernelBuild& build, const RunResult& ran) {
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

}  // namespace

Result<ExitCode> KconfigBoot(Shell& shell, const KconfigRequest& request) {
  auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  const std::stop_token stop = (*interrupts)->wrap_up();
  auto lab = kernels::OpenKernelLab(request.tree, request.arch);
  if (!lab) return lab.error();
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
    kernels::MeasureOrder order = kernels::MeasureAll(*lab, *build->kernel);
    order.stop = stop;
    auto booted = kernels::MeasureKernel(*lab->guest, order);
    if (!booted) return booted.error();
    ran = std::move(*booted);
  }
  shell.console.out << (shell.wants_json ? Dump(ToJson(*build, ran)) + "\n" : TextOf(ran));
  return ran.outcome == Outcome::kAccepted ? ExitCode::kYes : ExitCode::kNo;
}

}  // namespace hone::cli
