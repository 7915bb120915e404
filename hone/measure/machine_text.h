// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The texts of /proc and /sys as values. Pure; nothing is returned for a text that does not read as
// expected. Ticks are hundredths of a second, as the kernel reports them to programs.
namespace hone {

using CpuTicks = std::chrono::duration<std::int64_t, std::ratio<1, 100>>;

// The first line of /proc/stat, over all CPUs.
struct CpuTimes {
  CpuTicks busy{0};  // User, nice, system, and interrupts.
  CpuTicks idle{0};  // Waiting for I/O included.
  CpuTicks steal{0};

  CpuTicks Total() const { return busy + idle + steal; }
};
std::optional<CpuTimes> ParseCpuTimes(std::string_view proc_stat);

// /proc/pressure/*: time in which some, or all, tasks waited, since boot.
struct PressureTotals {
  std::chrono::microseconds some{0};
  std::chrono::microseconds full{0};
};
std::optional<PressureTotals> ParsePressure(std::string_view text);

// /proc/PID/stat. The name may hold spaces and brackets.
struct ProcessTicks {
  int pid = 0;
  int parent = 0;
  std::string name;
  std::int64_t started = 0;  // Ticks since boot; with the pid it is unique.
  CpuTicks used{0};
  CpuTicks used_by_children{0};  // Those that ended and were waited for.
};
std::optional<ProcessTicks> ParseProcessStat(std::string_view text);

// The one-minute figure of /proc/loadavg.
std::optional<double> ParseLoad(std::string_view text);

// "Key : value" or "key value" lines, as in /proc/cpuinfo, /proc/meminfo, cpu.stat: the first
// line whose key is `key`, without the separator and surrounding spaces.
std::optional<std::string> FindField(std::string_view text, std::string_view key);

// How many CPUs a list such as "0-3,8" names.
std::optional<int> CountCpuList(std::string_view text);

// The path of the process in a hierarchy of /proc/self/cgroup: `controller` is "cpu", "memory" for
// version 1, "" for version 2.
std::optional<std::string> FindCgroup(std::string_view proc_self_cgroup,
                                      std::string_view controller);

// CPUs granted by cpu.max ("150000 100000"); nothing for "max".
std::optional<double> ParseCpuMax(std::string_view text);

}  // namespace hone
