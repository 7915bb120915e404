// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/base/json/json.h"

namespace hone::kernels {
namespace {

// A kernel that has only its timer's tick for a clock is off by one of its slowest ticks, at most.
constexpr double kCoarseTickNs = 10e6;
constexpr double kClockShare = 0.05;

// The numbers of a person's own benchmark are the kernel's clock's: what that is off by must stay
// below half of what counts as a gain, 1 %. Clocks of honest guests differ by some millionths.
constexpr double kOwnClockShare = 0.005;
constexpr double kReadingNs = 50e3;      // Of both clocks, twice.
constexpr double kMaxClockStepNs = 1e5;  // Coarser is a clock that only ticks.

Error Wrong(std::string_view what) {
  return {Errc::kInvalidArgument, fmt::format("the guest's answer: {}", what)};
}

std::string PathOfSysctl(std::string name) {
  std::replace(name.begin(), name.end(), '.', '/');
  return "/proc/sys/" + name;
}

struct ClockAllowance {
  double ns = 0;
  double share = 0;
};

Result<void> CheckClock(const std::string& name, const WorkloadTime& time,
                        const ClockAllowance& allowed) {
  const double counted = time.ns * static_cast<double>(time.calls);
  const double told = time.clock_ns * static_cast<double>(time.calls);
  if (std::abs(counted - told) <= allowed.ns + allowed.share * counted) return {};
  return Wrong(
      fmt::format("{} took {:.0f} ns by the processor's counter and {:.0f} by the kernel's "
                  "clock",
                  name, counted, told));
}

// Its numbers are told by the guest's clock, which must go with the processor's.
Result<CommandAnswer> ReadCommand(JsonReader reader, double per_ns) {
  CommandAnswer answer;
  WorkloadTime time{.calls = 1};
  time.ns = reader.At("ticks").Number() / per_ns;
  time.clock_ns = reader.At("clock_ns").Number();
  answer.status = static_cast<int>(reader.At("status").Integer());
  answer.output = reader.At("output").String();
  answer.log = reader.At("log").String();
  const double step = reader.At("clock_step_ns").Number();
  if (!(step > 0 && step <= kMaxClockStepNs)) {
    return Wrong(
        fmt::format("the kernel's clock advances by {:.0f} ns at a time, too coarse for "
                    "a benchmark that tells its own numbers",
                    step));
  }
  const ClockAllowance allowed{kReadingNs + 2 * step, kOwnClockShare};
  if (auto fine = CheckClock("the benchmark", time, allowed); !fine) return fine.error();
  return answer;
}

}  // namespace

const std::vector<std::string>& WorkloadNames() {
  static const std::vector<std::string> names{
      "syscall", "read",  "open", "stat",   "file",   "fork",  "exec",  "pipe",
      "switch",  "fault", "mmap", "socket", "signal", "epoll", "futex", "yield"};
  return names;
}

std::string GuestTask(const std::string& nonce, const std::vector<std::string>& workloads,
                      const std::map<std::string, std::string>& sysctls) {
  std::string task = fmt::format("nonce {}\n", nonce);
  for (const auto& [name, value] : sysctls) {
    task += fmt::format("set {} {}\n", PathOfSysctl(name), value);
  }
  for (const std::string& name : workloads) task += fmt::format("run {}\n", name);
  return task;
}

Result<GuestResult> ReadGuestResult(const std::string& text, const std::string& nonce,
                                    const GuestArch& arch) {
  const auto json = ParseJson(text, "guest");
  if (!json) return Wrong(json.error().message);
  JsonReader reader(*json, "guest");
  if (reader.At("nonce").String() != nonce) return Wrong("it is to another question");
  const double said = reader.At("ticks_per_second").Number();
  const double per_ns = said > 0 ? said / 1e9 : arch.ticks_per_ns;
  GuestResult result;
  result.booted_ns = reader.At("booted").Number() / per_ns;
  result.memory_total_kib = reader.At("memory_total_kib").Integer();
  result.memory_free_kib = reader.At("memory_free_kib").Integer();
  for (auto& [name, member] : reader.At("workloads").Members()) {
    if (member.Raw().is_null()) {
      result.missing.push_back(name);
      continue;
    }
    WorkloadTime time;
    time.calls = member.At("calls").Integer();
    if (time.calls <= 0) return Wrong(name + " made no calls");
    const auto calls = static_cast<double>(time.calls);
    time.ns = member.At("ticks").Number() / per_ns / calls;
    time.clock_ns = member.At("clock_ns").Number() / calls;
    if (!(time.ns > 0)) return Wrong(name + " took no time");
    const ClockAllowance allowed{kCoarseTickNs, kClockShare};
    if (auto fine = CheckClock(name, time, allowed); !fine) return fine.error();
    result.workloads[name] = time;
  }
  if (reader.Has("command")) {
    auto command = ReadCommand(reader.At("command"), per_ns);
    if (!command) return command.error();
    result.command = std::move(*command);
  }
  if (auto whole = reader.Finish(); !whole) return Wrong(whole.error().message);
  return result;
}

}  // namespace hone::kernels
