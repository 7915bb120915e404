// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The texts of /proc and /sys as values. Pure; nothing comes back for a text that does not read as
// expected. Ticks are hundredths of a second, as the kernel reports them to programs.
namespace hone {

using CpuTicks = std::chrono::duration<std::int64_t, std::ratio<1, 100>>;

// The first line of /proc/stat, over all CPUs.
struct CpuTimes {
  CpuTicks busy{0};  // User, nice, system, and interrupts.
  CpuTicks idle{0};  // Waiting for I/O included.
  CpuTicks steal{0};

  CpuTicks Total() const { return busy + idle + steal; }
  bool operator==(const CpuTimes&) const = default;
};
std::optional<CpuTimes> ParseCpuTimes(std::string_view proc_stat);

// /proc/pressure/*: time since boot in which some, or all, tasks waited.
struct PressureTotals {
  std::chrono::microseconds some{0};
  std::chrono::microseconds full{0};  // 0 where the kernel does not say.

  bool operator==(const PressureTotals&) const = default;
};
std::optional<PressureTotals> ParsePressure(std::string_view text);

// /proc/PID/stat. The name may hold spaces and brackets.
struct ProcessTicks {
  int pid = 0;
  int parent = 0;
  std::string name;
  CpuTicks used{0};
  CpuTicks used_by_children{0};  // Those that ended and were waited for.
  std::int64_t started = 0;      // Ticks since boot; with the pid it is unique.

  bool operator==(const ProcessTicks&) const = default;
};
std::optional<ProcessTicks> ParseProcessStat(std::string_view text);

// The number at the front of a text such as "0.20 0.18 0.12 1/80 11206".
std::optional<double> ParseFirstNumber(std::string_view text);

// The value in the first line "key : value", "key: value" or "key value" with this key, as in
// /proc/cpuinfo, /proc/meminfo and cpu.stat.
std::optional<std::string> FindField(std::string_view text, std::string_view key);

// The value of KEY="value", as in /etc/os-release, without the quotes.
std::optional<std::string> FindSetting(std::string_view text, std::string_view key);

// How many CPUs a list such as "0-3,8" names.
std::optional<int> CountCpuList(std::string_view text);

// The path in a hierarchy of /proc/self/cgroup; `controller` is "cpu" or "memory" in version 1 and
// empty for version 2.
std::optional<std::string> FindCgroup(std::string_view proc_self_cgroup,
                                      std::string_view controller);

// The CPUs granted by "150000 100000", the form of cpu.max; nothing for "max 100000".
std::optional<double> ParseCpuMax(std::string_view text);

// The time lost to the CPU quota, in cpu.stat of cgroup version 2 (throttled_usec) or 1
// (throttled_time, in nanoseconds).
std::optional<std::chrono::microseconds> ParseThrottled(std::string_view cpu_stat);

}  // namespace hone
