// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/program_counters.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <sstream>
#include <string_view>
#include <system_error>

#include "hone/base/file.h"
#include "hone/base/machine_text.h"
#include "hone/base/process/process_tree.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSwitches = "context_switches";
constexpr const char* kFaults = "page_faults";
constexpr const char* kMajorFaults = "major_faults";
constexpr const char* kCpuTime = "cpu_time_s";

struct CountedEvent {
  const char* name;
  std::uint32_t type;
  std::uint64_t event;
};

constexpr std::array<CountedEvent, 4> kCountedEvents{{
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"cpu_migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
}};

// Of whatever runs on the processor. Nothing is open: errno says why.
Descriptor OpenOnCpu(const CountedEvent& event, int cpu) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.event;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return Descriptor(static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

std::string WhyNotCounted(int number) {
  if (number == ENOENT || number == ENODEV || number == EOPNOTSUPP) {
    return "this machine has no hardware counters";
  }
  if (number == EACCES || number == EPERM) return "only for root (kernel.perf_event_paranoid)";
  if (number == ENOSYS) return "this kernel counts no events";
  return std::strerror(number);
}

// What the event would have counted all of the time, where it had to share a hardware counter.
double ScaledCount(const Descriptor& file) {
  struct {
    std::uint64_t value = 0;
    std::uint64_t enabled = 0;
    std::uint64_t running = 0;
  } now;
  if (::read(file.get(), &now, sizeof now) != sizeof now) return 0;
  const auto value = static_cast<double>(now.value);
  if (now.running == 0 || now.running >= now.enabled) return value;
  return value * static_cast<double>(now.enabled) / static_cast<double>(now.running);
}

double NumberOf(std::string_view text, std::string_view field) {
  const auto value = FindField(text, field);
  return value ? ParseFirstNumber(*value).value_or(0) : 0;
}

// Of the process and of its children that have ended: each process is counted once in a tree.
void AddStat(const std::string& stat, Counts& totals) {
  std::istringstream words(stat.substr(std::min(stat.rfind(')'), stat.size() - 1) + 1));
  std::string ignored;
  for (int i = 0; i < 7; ++i) words >> ignored;  // State to flags.
  std::array<double, 8> fields{};                // minflt, cminflt, majflt, cmajflt, times.
  for (double& field : fields) words >> field;
  if (!words) return;
  totals[kFaults] += fields[0] + fields[1];
  totals[kMajorFaults] += fields[2] + fields[3];
  const double ticks = fields[4] + fields[5] + fields[6] + fields[7];
  totals[kCpuTime] += ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

bool IsCountingOff() {
  const char* const setting = std::getenv("HONE_COUNTERS");
  return setting != nullptr && std::string_view(setting) == "off";
}

Counts CountsOf(const ProcessResult& result) {
  const std::chrono::duration<double> used = result.user + result.system;
  return {{kSwitches, static_cast<double>(result.context_switches)},
          {kFaults, static_cast<double>(result.page_faults)},
          {kMajorFaults, static_cast<double>(result.major_faults)},
          {kCpuTime, used.count()}};
}

TreeCounts ReadTreeCounts(pid_t root) {
  TreeCounts counts;
  for (const pid_t pid : TreeOf(root)) {
    const fs::path folder = fmt::format("/proc/{}", pid);
    AddStat(ReadFile(folder / "stat").value_or(")"), counts.totals);
    std::error_code fault;
    for (fs::directory_iterator task(folder / "task", fault), end; !fault && task != end;
         task.increment(fault)) {
      const std::string status = ReadFile(task->path() / "status").value_or("");
      counts.tasks.push_back(static_cast<pid_t>(NumberOf(status, "Pid")));
      counts.totals[kSwitches] += NumberOf(status, "voluntary_ctxt_switches") +
                                  NumberOf(status, "nonvoluntary_ctxt_switches");
    }
  }
  std::sort(counts.tasks.begin(), counts.tasks.end());
  return counts;
}

Counts CountsBetween(const Counts& before, const Counts& after) {
  Counts counts;
  for (const auto& [name, count] : after) {
    const auto earlier = before.find(name);
    if (earlier != before.end()) counts[name] = count - earlier->second;
  }
  return counts;
}

Counts CountsBetween(const TreeCounts& before, const TreeCounts& after) {
  Counts counts = CountsBetween(before.totals, after.totals);
  if (before.tasks != after.tasks) counts.erase(kSwitches);
  return counts;
}

Counts Together(const Counts& one, const Counts& other) {
  Counts sum;
  for (const auto& [name, count] : one) {
    const auto found = other.find(name);
    if (found != other.end()) sum[name] = count + found->second;
  }
  return sum;
}

// A processor that is switched off has nothing to count.
CpuCounters CpuCounters::Open(const std::vector<int>& cpus) {
  CpuCounters opened;
  if (IsCountingOff()) return opened;
  std::vector<int> all(static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_CONF))));
  std::iota(all.begin(), all.end(), 0);
  for (const CountedEvent& event : kCountedEvents) {
    for (const int cpu : cpus.empty() ? all : cpus) {
      Descriptor file = OpenOnCpu(event, cpu);
      if (file.is_open()) opened.counters_.emplace_back(event.name, std::move(file));
    }
  }
  return opened;
}

Counts CpuCounters::Read() const {
  Counts counts;
  for (const auto& [name, file] : counters_) counts[name] += ScaledCount(file);
  return counts;
}

std::string MissingCounters() {
  if (IsCountingOff()) return "all: switched off by HONE_COUNTERS";
  std::vector<std::pair<std::string, std::string>> groups;  // A reason, and whom it concerns.
  for (const CountedEvent& event : kCountedEvents) {
    if (OpenOnCpu(event, 0).is_open()) continue;
    std::string why = WhyNotCounted(errno);
    if (groups.empty() || groups.back().first != why) groups.emplace_back(std::move(why), "");
    std::string& names = groups.back().second;
    names += (names.empty() ? "" : ", ") + std::string(event.name);
  }
  std::string text;
  for (const auto& [why, names] : groups) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", names, why);
  }
  return text;
}

}  // namespace hone
