// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/sanitizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace hone::compute {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::array kTools{"memcheck", "racecheck", "initcheck"};
constexpr int kFoundSomething = 86;  // Exit status that it is told to end with.
constexpr const char* kLog = "log";
constexpr std::string_view kRuler = "=========";
constexpr std::int64_t kToolMemoryMib = 16 << 10;
constexpr std::int64_t kMib = 1 << 20;
constexpr std::int64_t kSpareMib = 64;
constexpr std::size_t kMaxFailure = 2000;

// Its log has a ruler before every line; a first line of its own name, and a last one with a count.
std::string TextOf(std::string_view log) {
  std::string text;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    if (line.starts_with(kRuler)) line.remove_prefix(kRuler.size());
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (!line.empty() && line != "COMPUTE-SANITIZER") text += fmt::format("{}\n", line);
  }
  return text;
}

std::string Headline(const std::string& text) { return text.substr(0, text.find('\n')); }

bool HasChecked(const SandboxResult& result) {
  return result.end == SandboxResult::End::kExited && result.status == 0 &&
         result.files.contains(kChecked);
}

bool HasFound(const SandboxResult& result) {
  return result.end == SandboxResult::End::kExited && result.status == kFoundSomething;
}

bool IsCutShort(const SandboxResult& result) {
  return result.end == SandboxResult::End::kTimedOut || result.end == SandboxResult::End::kStopped;
}

// Whether it came to something; else the tool does not work.
bool IsTold(const SandboxResult& result) {
  return IsCutShort(result) || HasChecked(result) || HasFound(result);
}

std::string LogOf(const SandboxResult& result) {
  const auto log = result.files.find(kLog);
  return log == result.files.end() ? "" : TextOf(log->second);
}

std::string WhyNotRun(const SandboxResult& result) {
  const std::string all = LogOf(result) + result.errors + result.output;
  return fmt::format("status {}: {}", result.status, all.substr(0, kMaxFailure));
}

}  // namespace

Result<fs::path> FindComputeSanitizer() {
  std::vector<fs::path> places;
  if (const char* given = std::getenv("HONE_CUDA"); given != nullptr) {
    places = {fs::path(given) / "compute-sanitizer"};
  }
  for (const char* place : {"/usr/local/cuda/compute-sanitizer/compute-sanitizer",
                            "/opt/cuda/extras/compute-sanitizer/compute-sanitizer",
                            "/usr/lib/nvidia-cuda-toolkit/compute-sanitizer/compute-sanitizer"}) {
    places.emplace_back(place);
  }
  std::error_code failed;
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, failed)) return place;
  }
  return Error{
      Errc::kUnsupported,
      "compute-sanitizer is not here: install CUDA's toolkit, or leave sanitize at records"};
}

Sanitizer::Sanitizer(fs::path program, SandboxCommand command)
    : program_(std::move(program)), command_(std::move(command)) {
  const bool is_seen = std::ranges::any_of(command_.views, [&](const SandboxView& view) {
    return program_.native().starts_with(view.host.native() + "/");
  });
  if (!is_seen) command_.views.push_back({program_.parent_path()});
}

Result<SandboxResult> Sanitizer::RunTool(const std::string& tool, const Work& work,
                                         std::chrono::milliseconds limit,
                                         const std::stop_token& stop) const {
  SandboxCommand command = command_;
  std::vector<std::string> arguments = {program_.native(),
                                        "--tool",
                                        tool,
                                        "--error-exitcode",
                                        std::to_string(kFoundSomething),
                                        "--log-file",
                                        kLog,
                                        "--print-limit",
                                        "8"};
  arguments.insert(arguments.end(), command_.arguments.begin(), command_.arguments.end());
  command.arguments = std::move(arguments);
  command.environment["TMPDIR"] = "/scratch";
  command.environment["PATH"] = "/usr/local/bin:/usr/bin:/bin";
  const auto task = std::as_bytes(std::span(&work.task, 1));
  command.files = {{"task", {reinterpret_cast<const char*>(task.data()), task.size()}},
                   {"cubin", work.cubin},
                   {"inputs", work.inputs}};
  command.keep = {kLog, kChecked};
  command.is_single = false;
  command.talks_inside = true;
  command.limits.memory_mib = kToolMemoryMib;
  command.limits.scratch_mib =
      static_cast<std::int64_t>(work.cubin.size() + work.inputs.size()) / kMib + kSpareMib;
  command.limits.file_mib = command.limits.scratch_mib;
  command.limits.wall = limit;
  command.stop = stop;
  return RunInSandbox(command);
}

Result<SanitizerReport> Sanitizer::Run(const Work& work, std::chrono::milliseconds limit,
                                       const std::stop_token& stop) const {
  const auto end = SteadyClock::now() + limit;
  SanitizerReport report;
  std::string failure = "there was no time";
  bool has_run = false;
  for (const char* tool : kTools) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - SteadyClock::now());
    if (left.count() <= 0 || stop.stop_requested() || !report.reason.empty()) {
      report.tools[tool] = "not run";
      report.is_whole = false;
      continue;
    }
    const auto result = RunTool(tool, work, left, stop);
    if (!result) return result.error();
    if (!IsTold(*result)) {
      report.tools[tool] = "failed";
      report.is_whole = false;
      failure = WhyNotRun(*result);
      continue;
    }
    has_run = true;
    if (IsCutShort(*result)) {
      report.tools[tool] = "not finished";
      report.is_whole = false;
    } else if (HasChecked(*result)) {
      report.tools[tool] = "clean";
    } else {
      report.tools[tool] = "faulty";
      report.output = LogOf(*result);
      report.reason = fmt::format("{}: {}", tool, Headline(report.output));
    }
  }
  if (has_run) return report;
  return Error{Errc::kUnavailable, "compute-sanitizer does not work here: " + failure};
}

}  // namespace hone::compute
