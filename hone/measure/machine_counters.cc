// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/machine_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/machine_text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Totals = std::map<std::string, double>;

constexpr double kSectorMib = 512.0 / (1 << 20);
constexpr double kByteMib = 1.0 / (1 << 20);

// In the order of /proc/stat; "nice" counts as user. Guests are within user.
constexpr std::array<const char*, 8> kCpuParts{"cpu_user",    "cpu_user",   "cpu_system",
                                               "cpu_idle",    "cpu_iowait", "cpu_irq",
                                               "cpu_softirq", "cpu_steal"};

struct Named {
  const char* field;
  const char* name;
};
constexpr std::array<Named, 2> kStatFields{
    {{"ctxt", "context_switches_per_s"}, {"processes", "forks_per_s"}}};
constexpr std::array<Named, 4> kVmFields{{{"pgfault", "page_faults_per_s"},
                                          {"pgmajfault", "major_faults_per_s"},
                                          {"pswpin", "swaps_per_s"},
                                          {"pswpout", "swaps_per_s"}}};

template <std::size_t size>
void AddFields(const std::string& text, const std::array<Named, size>& fields, Totals& totals) {
  for (const auto& [field, name] : fields) {
    const auto value = FindField(text, field);
    const auto number = value ? ParseFirstNumber(*value) : std::nullopt;
    if (number) totals[name] += *number;
  }
}

void AddCpu(const std::string& stat, Totals& totals) {
  std::istringstream words(stat.substr(0, stat.find('\n')));
  std::string name;
  words >> name;
  double ticks = 0;
  for (std::size_t i = 0; i < kCpuParts.size() && words >> ticks; ++i) {
    totals[kCpuParts[i]] += ticks;
  }
}

void AddPressure(const fs::path& root, Totals& totals) {
  for (const char* name : {"cpu", "io", "memory"}) {
    const auto text = ReadFile(root / "proc/pressure" / name);
    const auto pressure = text ? ParsePressure(*text) : std::nullopt;
    if (!pressure) continue;
    totals[fmt::format("pressure_{}_some", name)] = static_cast<double>(pressure->some.count());
    totals[fmt::format("pressure_{}_full", name)] = static_cast<double>(pressure->full.count());
  }
}

// Partitions, loops and the like would count twice: only what has a device behind it counts.
void AddDisks(const fs::path& root, Totals& totals) {
  std::istringstream lines(ReadFile(root / "proc/diskstats").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string ignored;
    std::string name;
    std::array<double, 8> fields{};
    words >> ignored >> ignored >> name;
    for (double& field : fields) words >> field;
    std::error_code fault;
    if (!words || !fs::exists(root / "sys/block" / name / "device", fault)) continue;
    totals["disk_reads_per_s"] += fields[0];
    totals["disk_read_mib_per_s"] += fields[2] * kSectorMib;
    totals["disk_writes_per_s"] += fields[4];
    totals["disk_write_mib_per_s"] += fields[6] * kSectorMib;
  }
}

// Loopback counts too: many a workload talks to itself.
void AddInterfaces(const fs::path& network, Totals& totals) {
  std::istringstream lines(ReadFile(network / "dev").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::istringstream words(line.substr(colon + 1));
    std::array<double, 12> fields{};
    for (double& field : fields) words >> field;
    if (!words) continue;
    totals["network_receive_mib_per_s"] += fields[0] * kByteMib;
    totals["network_packets_per_s"] += fields[1] + fields[9];
    totals["network_drops_per_s"] += fields[3] + fields[11];
    totals["network_send_mib_per_s"] += fields[8] * kByteMib;
  }
}

// Two lines of "Tcp:", first the names, then the values.
void AddTcp(const fs::path& network, Totals& totals) {
  std::istringstream lines(ReadFile(network / "snmp").value_or(""));
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("Tcp:")) continue;
    std::istringstream words(line);
    if (names.empty()) {
      for (std::string word; words >> word;) names.push_back(word);
      continue;
    }
    std::string word;
    for (std::size_t i = 0; i < names.size() && words >> word; ++i) {
      const auto number = ParseFirstNumber(word);
      if (names[i] == "RetransSegs" && number) totals["tcp_retransmits_per_s"] = *number;
    }
  }
}

bool IsCpuShare(const std::string& name) { return name.starts_with("cpu_"); }

}  // namespace

MachineCounters ReadMachineCounters(const fs::path& network, const fs::path& root, Clock& clock) {
  MachineCounters counters;
  Totals& totals = counters.totals;
  const std::string stat = ReadFile(root / "proc/stat").value_or("");
  AddCpu(stat, totals);
  AddFields(stat, kStatFields, totals);
  AddFields(ReadFile(root / "proc/vmstat").value_or(""), kVmFields, totals);
  const auto available = FindField(ReadFile(root / "proc/meminfo").value_or(""), "MemAvailable");
  const auto kibibytes = available ? ParseFirstNumber(*available) : std::nullopt;
  if (kibibytes) totals["memory_available_change_mib"] = *kibibytes / 1024;
  AddPressure(root, totals);
  AddDisks(root, totals);
  AddInterfaces(network, totals);
  AddTcp(network, totals);
  counters.at = clock.Now();
  return counters;
}

std::map<std::string, double> ObservationsBetween(const MachineCounters& before,
                                                  const MachineCounters& after) {
  std::map<std::string, double> changes;
  double ticks = 0;
  for (const auto& [name, total] : after.totals) {
    const auto earlier = before.totals.find(name);
    if (earlier == before.totals.end()) continue;
    changes[name] = total - earlier->second;
    if (IsCpuShare(name)) ticks += std::max(0.0, changes[name]);
  }
  const std::chrono::duration<double> elapsed = after.at - before.at;
  const double seconds = std::max(elapsed.count(), 1e-9);
  for (auto& [name, change] : changes) {
    if (IsCpuShare(name)) {
      change = ticks > 0 ? std::clamp(change / ticks, 0.0, 1.0) : 0;
    } else if (name.starts_with("pressure_")) {
      change = std::clamp(change / 1e6 / seconds, 0.0, 1.0);
    } else if (name.ends_with("_per_s")) {
      change = std::max(0.0, change) / seconds;
    }
  }
  if (!changes.empty()) changes["stability"] = StabilityOf(changes);
  return changes;
}

double StabilityOf(const std::map<std::string, double>& observations) {
  double stability = 1;
  for (const char* name : {"cpu_iowait", "cpu_steal", "pressure_memory_some", "pressure_io_full"}) {
    const auto share = observations.find(name);
    if (share != observations.end()) stability *= 1 - std::clamp(share->second, 0.0, 1.0);
  }
  return stability;
}

}  // namespace hone
