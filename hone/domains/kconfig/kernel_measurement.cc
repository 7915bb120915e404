// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/kernel_measurement.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "hone/base/fresh_number.h"
#include "hone/domains/kconfig/guest/initramfs.h"

namespace hone::kernels {
namespace {

// What a call of each took under instruction counting on the kernel of data/kernels/small.config
// (6.1.192, arm64): there the index is about 1. As with the machine of 1995 that other indices
// refer to, only ratios mean something.
const std::map<std::string, double>& UsualNs() {
  static const std::map<std::string, double> usual{
      {"syscall", 246}, {"read", 660},   {"open", 3185},   {"stat", 2015},
      {"file", 44756},  {"fork", 97636}, {"exec", 359158}, {"pipe", 1922},
      {"switch", 6767}, {"fault", 2405}, {"mmap", 9296},   {"socket", 3400},
      {"signal", 4034}, {"epoll", 646},  {"futex", 678},   {"yield", 845}};
  return usual;
}

double IndexOf(const GuestResult& result) {
  double logs = 0;
  for (const auto& [name, time] : result.workloads) logs += std::log(UsualNs().at(name) / time.ns);
  return std::exp(logs / static_cast<double>(result.workloads.size()));
}

RunResult Failed(Outcome outcome, std::string reason, const GuestReport& report) {
  RunResult result;
  result.outcome = outcome;
  result.reason = std::move(reason);
  if (!report.console.empty()) result.evidence.push_back({"console", report.console});
  return result;
}

// What a guest that did not end well says of its kernel.
RunResult FailureOf(const GuestReport& report, std::chrono::milliseconds limit) {
  const auto seconds = std::chrono::duration<double>(limit).count();
  switch (report.end) {
    case GuestEnd::kSilent:
      return Failed(Outcome::kTimedOut,
                    fmt::format("not a word on the console in {:.0f} s", seconds), report);
    case GuestEnd::kHung:
      return Failed(
          Outcome::kTimedOut,
          fmt::format("came to nothing in {:.0f} s; the console's end tells how far it came",
                      seconds),
          report);
    case GuestEnd::kStopped:
      return Failed(Outcome::kTimedOut, "asked to stop", report);
    case GuestEnd::kMute:
      return Failed(Outcome::kWrong,
                    report.fault.empty() ? "the guest ended and had said nothing over its port"
                                         : report.fault,
                    report);
    default:
      return Failed(Outcome::kCrashed, fmt::format("{}: {}", NameOf(report.end), report.fault),
                    report);
  }
}

Sample SampleOf(const MeasureOrder& order, const GuestResult& result) {
  Sample sample;
  const auto add = [&](const std::string& name, double value) {
    sample.metrics[name] = Reading{.value = value};
  };
  add("index", IndexOf(result));
  for (const auto& [name, time] : result.workloads) add(name, time.ns);
  add("boot", result.booted_ns);
  add("memory_kib",
      static_cast<double>(std::int64_t{order.memory_mib} * 1024 - result.memory_free_kib));
  add("image_bytes", static_cast<double>(order.kernel.image_bytes));
  add("text_bytes", static_cast<double>(order.kernel.text_bytes));
  sample.observations = {{"build_s", std::chrono::duration<double>(order.kernel.took).count()},
                         {"objects_compiled", static_cast<double>(order.kernel.compiled)}};
  return sample;
}

}  // namespace

RunResult ResultOf(const KernelBuild& failed) {
  const Outcome outcome = failed.is_config_other ? Outcome::kRejected
                          : failed.is_late       ? Outcome::kTimedOut
                                                 : Outcome::kBuildFailed;
  return {outcome, failed.reason, {}, {{"build log", failed.log}}};
}

Result<RunResult> MeasureKernel(Guest& guest, const MeasureOrder& order) {
  const std::string nonce = fmt::format("{:016x}{:016x}", FreshNumber(), FreshNumber());
  GuestOrder boot;
  boot.arch = order.arch;
  boot.image = order.kernel.image;
  boot.initramfs = MakeInitramfs({{"init", order.program, true},
                                  {"etc/hone", GuestTask(nonce, order.workloads, order.sysctls)}});
  boot.command_line = order.command_line;
  boot.counts_instructions = order.counts_instructions;
  boot.accelerator = order.accelerator;
  boot.seed = order.seed;
  boot.memory_mib = order.memory_mib;
  boot.limit = order.limit;
  boot.stop = order.stop;
  const auto report = guest.Boot(boot);
  if (!report) return report.error();
  if (report->end != GuestEnd::kEnded) return FailureOf(*report, order.limit);
  const auto said = ReadGuestResult(report->result, nonce, order.arch);
  if (!said) return Failed(Outcome::kWrong, said.error().message, *report);
  if (!said->missing.empty()) {
    return Failed(
        Outcome::kWrong,
        fmt::format("this kernel cannot run what is measured: {}", fmt::join(said->missing, ", ")),
        *report);
  }
  for (const std::string& name : order.workloads) {
    if (!said->workloads.contains(name)) {
      return Failed(Outcome::kWrong, name + " was not measured", *report);
    }
  }
  RunResult result;
  result.sample = SampleOf(order, *said);
  return result;
}

std::vector<MetricFacts> MetricsOf(const std::vector<std::string>& workloads,
                                   bool counts_instructions) {
  const std::string unit = counts_instructions ? "instructions" : "ns";
  std::vector<MetricFacts> metrics{
      {"index", "1", Direction::kHigherIsBetter,
       "Geometric mean of the workloads' speeds; only its ratios mean something."}};
  for (const std::string& name : workloads) {
    metrics.push_back({name, unit, Direction::kLowerIsBetter, "One call of the workload."});
  }
  metrics.push_back({"boot", unit, Direction::kLowerIsBetter, "Until the first program."});
  metrics.push_back({"memory_kib", "KiB", Direction::kLowerIsBetter, "In use after the boot."});
  metrics.push_back({"image_bytes", "bytes", Direction::kLowerIsBetter, "The kernel's image."});
  metrics.push_back({"text_bytes", "bytes", Direction::kLowerIsBetter, "The kernel's code."});
  return metrics;
}

}  // namespace hone::kernels
