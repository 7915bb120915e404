// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "hone/base/file.h"
#include "hone/measure/cgroup_limits.h"
#include "hone/measure/machine_facts.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

// From where on a run is marked.
constexpr double kMuchSteal = 0.02;
constexpr double kMuchOthers = 0.2;  // Cores.
constexpr double kMuchPressure = 0.1;
constexpr double kMuchThrottling = 0.01;
constexpr double kMuchLoad = 1.25;  // Per CPU.
constexpr CpuTicks kFewTicks{2};    // Not more than the counters' own grain.

constexpr std::size_t kMaxBusy = 3;
constexpr double kBusyCores = 0.05;
constexpr std::chrono::seconds kBetweenLooks{1};

template <typename Parse>
auto ReadAs(const fs::path& path, const Parse& parse) {
  const auto text = ReadFile(path);
  return text ? parse(std::string_view(*text)) : decltype(parse(std::string_view()))();
}

double SecondsOf(Seconds duration) { return duration.count(); }

std::optional<double> StealBetween(const MachineReading& before, const MachineReading& after) {
  if (!before.cpu || !after.cpu) return std::nullopt;
  const CpuTicks total = after.cpu->Total() - before.cpu->Total();
  if (total <= CpuTicks{0}) return std::nullopt;
  return SecondsOf(after.cpu->steal - before.cpu->steal) / SecondsOf(total);
}

std::optional<double> OthersBetween(const MachineReading& before, const MachineReading& after) {
  if (!before.cpu || !after.cpu || !before.ours || !after.ours) return std::nullopt;
  const CpuTicks busy = after.cpu->busy - before.cpu->busy;
  const CpuTicks others = std::max(CpuTicks{0}, busy - (*after.ours - *before.ours));
  return SecondsOf(others) / SecondsOf(after.at - before.at);
}

std::map<std::string, double> PressureBetween(const MachineReading& before,
                                              const MachineReading& after) {
  std::map<std::string, double> shares;
  for (const auto& [name, totals] : after.pressure) {
    const auto earlier = before.pressure.find(name);
    if (earlier == before.pressure.end()) continue;
    const double waited = SecondsOf(totals.some - earlier->second.some);
    shares[name] = std::min(1.0, waited / SecondsOf(after.at - before.at));
  }
  return shares;
}

std::vector<std::string> MarksOf(const MachineChange& change, int cpus) {
  std::vector<std::string> marks;
  const double steal = change.steal.value_or(0);
  if (steal >= kMuchSteal && steal * cpus * change.elapsed > kFewTicks) {
    marks.push_back(fmt::format("steal {:.0f} %", 100 * steal));
  }
  const double others = change.others_cores.value_or(0);
  if (others >= kMuchOthers && others * change.elapsed > kFewTicks) {
    marks.push_back(fmt::format("others use {:.1f} cores", others));
  }
  for (const auto& [name, share] : change.pressure) {
    if (share < kMuchPressure) continue;
    marks.push_back(fmt::format("{} pressure {:.0f} %", name, 100 * share));
  }
  if (change.throttled.value_or(0) >= kMuchThrottling) {
    marks.push_back(fmt::format("held back by cgroup quota {:.0f} %", 100 * *change.throttled));
  }
  if (change.thermal_throttles.value_or(0) > 0) marks.emplace_back("too hot, clock lowered");
  if (change.load.value_or(0) > kMuchLoad * cpus) {
    marks.push_back(fmt::format("load {:.1f}", *change.load));
  }
  return marks;
}

// Whether the process, or one above it, is `self`.
bool Descends(int pid, int self, const std::unordered_map<int, int>& parents) {
  for (std::size_t steps = 0; steps <= parents.size(); ++steps) {
    if (pid == self) return true;
    const auto parent = parents.find(pid);
    if (parent == parents.end()) return false;
    pid = parent->second;
  }
  return false;
}

std::vector<ProcessTicks> ReadProcesses(const fs::path& root) {
  std::vector<ProcessTicks> processes;
  std::error_code fault;
  for (fs::directory_iterator entry(root / "proc", fault), end; !fault && entry != end;
       entry.increment(fault)) {
    const std::string name = entry->path().filename().native();
    if (std::isdigit(static_cast<unsigned char>(name[0])) == 0) continue;
    if (auto process = ReadAs(entry->path() / "stat", ParseProcessStat)) {
      processes.push_back(std::move(*process));
    }
  }
  return processes;
}

}  // namespace

MachineChange ChangeBetween(const MachineReading& before, const MachineReading& after, int cpus) {
  MachineChange change;
  change.elapsed = after.at - before.at;
  change.mhz = after.mhz;
  change.load = after.load;
  if (change.elapsed > std::chrono::nanoseconds{0}) {
    change.steal = StealBetween(before, after);
    change.others_cores = OthersBetween(before, after);
    change.pressure = PressureBetween(before, after);
    if (before.throttled && after.throttled) {
      const double lost = SecondsOf(*after.throttled - *before.throttled);
      change.throttled = std::min(1.0, lost / SecondsOf(change.elapsed));
    }
    if (before.thermal_throttles && after.thermal_throttles) {
      change.thermal_throttles = *after.thermal_throttles - *before.thermal_throttles;
    }
  }
  change.marks = MarksOf(change, cpus);
  return change;
}

std::vector<BusyProgram> BusiestBetween(std::span<const ProcessTicks> before,
                                        std::span<const ProcessTicks> after,
                                        std::chrono::nanoseconds elapsed, int self) {
  std::unordered_map<int, const ProcessTicks*> earlier;
  for (const ProcessTicks& process : before) earlier[process.pid] = &process;
  std::unordered_map<int, int> parents;
  for (const ProcessTicks& process : after) parents[process.pid] = process.parent;

  std::map<std::string, CpuTicks> used;
  for (const ProcessTicks& process : after) {
    if (Descends(process.pid, self, parents)) continue;
    const auto known = earlier.find(process.pid);
    const bool is_same = known != earlier.end() && known->second->started == process.started;
    used[process.name] += process.used - (is_same ? known->second->used : CpuTicks{0});
  }
  std::vector<BusyProgram> busy;
  for (const auto& [name, ticks] : used) {
    const double cores = SecondsOf(ticks) / SecondsOf(elapsed);
    if (cores >= kBusyCores) busy.push_back({name, cores});
  }
  std::stable_sort(busy.begin(), busy.end(),
                   [](const BusyProgram& a, const BusyProgram& b) { return a.cores > b.cores; });
  if (busy.size() > kMaxBusy) busy.resize(kMaxBusy);
  return busy;
}

MachineWatch::MachineWatch(fs::path root, Clock& clock)
    : root_(std::move(root)),
      clock_(&clock),
      facts_(ReadMachineFacts(root_)),
      cpus_(CountCpuList(facts_["cpus online"]).value_or(1)),
      cgroup_cpu_stat_(ReadCgroupLimits(root_).cpu_stat),
      processes_(ReadProcesses(root_)),
      processes_at_(clock.Now()) {}

MachineReading MachineWatch::Read() const {
  MachineReading reading;
  reading.cpu = ReadAs(root_ / "proc/stat", ParseCpuTimes);
  if (const auto self = ReadAs(root_ / "proc/self/stat", ParseProcessStat)) {
    reading.ours = self->used + self->used_by_children;
  }
  for (const char* name : {"cpu", "io", "memory"}) {
    const auto totals = ReadAs(root_ / "proc/pressure" / name, ParsePressure);
    if (totals) reading.pressure[name] = *totals;
  }
  reading.load = ReadAs(root_ / "proc/loadavg", ParseFirstNumber);
  if (!cgroup_cpu_stat_.empty()) reading.throttled = ReadAs(cgroup_cpu_stat_, ParseThrottled);
  const fs::path cpu = root_ / "sys/devices/system/cpu/cpu0";
  const auto throttles = ReadAs(cpu / "thermal_throttle/package_throttle_count", ParseFirstNumber);
  if (throttles) reading.thermal_throttles = static_cast<std::int64_t>(*throttles);
  const auto kilohertz = ReadAs(cpu / "cpufreq/scaling_cur_freq", ParseFirstNumber);
  if (kilohertz) reading.mhz = *kilohertz / 1000;
  reading.at = clock_->Now();
  return reading;
}

MachineChange MachineWatch::Since(const MachineReading& before) {
  const MachineReading now = Read();
  MachineChange change = ChangeBetween(before, now, cpus_);
  if (change.others_cores.value_or(0) < kMuchOthers) return change;
  change.busiest = LookForBusiest(now.at);
  for (const BusyProgram& program : change.busiest) {
    change.marks.push_back(fmt::format("{} uses {:.1f} cores", program.name, program.cores));
  }
  return change;
}

std::vector<BusyProgram> MachineWatch::LookForBusiest(Clock::Monotonic now) {
  if (now - processes_at_ < kBetweenLooks) return {};
  std::vector<ProcessTicks> processes = ReadProcesses(root_);
  const auto self = ReadAs(root_ / "proc/self/stat", ParseProcessStat);
  std::vector<BusyProgram> busiest =
      BusiestBetween(processes_, processes, now - processes_at_, self ? self->pid : ::getpid());
  processes_ = std::move(processes);
  processes_at_ = now;
  return busiest;
}

}  // namespace hone
