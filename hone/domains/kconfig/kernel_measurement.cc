// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/kernel_measurement.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/fresh_number.h"
#include "hone/base/sha256.h"
#include "hone/domains/kconfig/build/file_digests.h"
#include "hone/domains/kconfig/guest/guest_files.h"
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

constexpr std::size_t kKeptConsole = 2 << 10;  // Of every run: it is stored with it.
constexpr std::size_t kKeptOutput = 2 << 10;
constexpr std::size_t kKeptBuild = 4 << 10;

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

Sample SampleOf(const MeasureOrder& order, const GuestResult& result,
                const std::map<std::string, double>& own) {
  Sample sample;
  const auto add = [&](const std::string& name, double value) {
    sample.metrics[name] = Reading{.value = value};
  };
  if (order.own == nullptr) add("index", IndexOf(result));
  for (const auto& [name, time] : result.workloads) add(name, time.ns);
  for (const auto& [name, value] : own) add(name, value);
  add("boot", result.booted_ns);
  add("memory_kib",
      static_cast<double>(std::int64_t{order.memory_mib} * 1024 - result.memory_free_kib));
  add("image_bytes", static_cast<double>(order.kernel.image_bytes));
  add("text_bytes", static_cast<double>(order.kernel.text_bytes));
  sample.observations = {{"build_s", std::chrono::duration<double>(order.kernel.took).count()},
                         {"objects_compiled", static_cast<double>(order.kernel.compiled)}};
  return sample;
}

// What a person's own command printed as numbers, or what it did wrong.
Result<std::map<std::string, double>> OwnValues(const MeasureOrder& order,
                                                const GuestResult& result) {
  if (order.own == nullptr) return std::map<std::string, double>{};
  if (!result.command) return Error{Errc::kInvalidArgument, "the guest did not run the benchmark"};
  return order.own->workload.read(result.command->output);
}

// Its files lie under what the guest needs, so that they cannot be taken for it.
std::string InitramfsOf(const MeasureOrder& order, const std::string& nonce) {
  std::string task = GuestTask(nonce, order.workloads, order.sysctls);
  if (order.own != nullptr) task += TaskOf(order.own->workload);
  return (order.own == nullptr ? "" : order.own->archive) +
         MakeInitramfs({{"init", order.program, true}, {"etc/hone", task}});
}

void AddSizes(std::vector<MetricFacts>& metrics, const std::string& unit) {
  metrics.push_back({"boot", unit, Direction::kLowerIsBetter, "Until the first program."});
  metrics.push_back({"memory_kib", "KiB", Direction::kLowerIsBetter, "In use after the boot."});
  metrics.push_back({"image_bytes", "bytes", Direction::kLowerIsBetter, "The kernel's image."});
  metrics.push_back({"text_bytes", "bytes", Direction::kLowerIsBetter, "The kernel's code."});
}

// From the beginning of a line on.
std::string EndOf(const std::string& text, std::size_t size) {
  if (text.size() <= size) return text;
  const std::size_t line = text.find('\n', text.size() - size);
  return text.substr(line == std::string::npos ? text.size() - size : line + 1);
}

std::string UnitOf(bool counts_instructions) { return counts_instructions ? "instructions" : "ns"; }

}  // namespace

Result<std::shared_ptr<const PackedWorkload>> Pack(GuestWorkload workload) {
  constexpr std::size_t kMaxArchive = std::size_t{1} << 30;
  PackedWorkload packed;
  if (!workload.initramfs.empty()) {
    auto archive = ReadRegularFile(workload.initramfs, kMaxArchive);
    if (!archive) return archive.error();
    packed.archive = std::move(*archive);
    packed.archive.resize((packed.archive.size() + 3) / 4 * 4, '\0');  // Where another may begin.
  }
  const auto files = TakenAlong(workload);
  if (!files) return files.error();
  if (!files->empty()) packed.archive += MakeInitramfs(*files);
  std::string disk;
  if (!workload.disk.empty()) {
    auto digest = DigestOfFile(workload.disk);
    if (!digest) return digest.error();
    disk = std::move(*digest);
  }
  packed.digest = Sha256OfTexts({workload.text, TaskOf(workload), packed.archive, disk});
  packed.workload = std::move(workload);
  return std::make_shared<const PackedWorkload>(std::move(packed));
}

RunResult ResultOf(const KernelBuild& failed) {
  const Outcome outcome = failed.is_config_other ? Outcome::kRejected
                          : failed.is_late       ? Outcome::kTimedOut
                                                 : Outcome::kBuildFailed;
  return {outcome, failed.reason, {}, {{"build log", failed.log}}};
}

Evidence BuildLogOf(const KernelBuild& build) {
  return {"build log", EndOf(build.log, kKeptBuild)};
}

Result<RunResult> MeasureKernel(Guest& guest, const MeasureOrder& order) {
  const std::string nonce = fmt::format("{:016x}{:016x}", FreshNumber(), FreshNumber());
  GuestOrder boot;
  boot.arch = order.arch;
  boot.image = order.kernel.image;
  boot.initramfs = InitramfsOf(order, nonce);
  if (order.own != nullptr) boot.disk = order.own->workload.disk;
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
  if (said->command && said->command->status != 0) {
    RunResult failed =
        Failed(Outcome::kCrashed,
               fmt::format("the benchmark ended with status {}", said->command->status), *report);
    failed.evidence.insert(failed.evidence.begin(), {"what it printed", said->command->log});
    return failed;
  }
  const auto own = OwnValues(order, *said);
  if (!own) return Failed(Outcome::kWrong, own.error().message, *report);
  RunResult result;
  result.sample = SampleOf(order, *said, *own);
  result.sample.output = EndOf(report->console, kKeptConsole);
  if (said->command) result.sample.output += "\n" + EndOf(said->command->output, kKeptOutput);
  return result;
}

std::vector<MetricFacts> MetricsOf(const std::vector<std::string>& workloads,
                                   bool counts_instructions) {
  const std::string unit = UnitOf(counts_instructions);
  std::vector<MetricFacts> metrics{
      {"index", "1", Direction::kHigherIsBetter,
       "Geometric mean of the workloads' speeds; only its ratios mean something."}};
  for (const std::string& name : workloads) {
    metrics.push_back({name, unit, Direction::kLowerIsBetter, "One call of the workload."});
  }
  AddSizes(metrics, unit);
  return metrics;
}

std::vector<MetricFacts> MetricsOf(const GuestWorkload& own, bool counts_instructions) {
  std::vector<MetricFacts> metrics = own.metrics;
  AddSizes(metrics, UnitOf(counts_instructions));
  return metrics;
}

}  // namespace hone::kernels
