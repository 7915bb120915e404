// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/machine_text.h"

namespace hone {

// Facts by name, for provenance. What cannot be read is there too, as "not readable".
using MachineFacts = std::map<std::string, std::string>;

// What does not change while the machine runs, and bears on how far its numbers can be trusted:
// CPU, frequency control, memory, kernel, boot, virtualisation, limits of our cgroup.
MachineFacts ReadMachineFacts(const std::filesystem::path& root = "/");

// The counters of a machine at one moment. Nothing is set that could not be read.
struct MachineReading {
  Clock::Monotonic at;
  std::optional<CpuTimes> cpu;
  std::optional<CpuTicks> ours;  // Of this process, and of its children that have ended.
  std::map<std::string, PressureTotals> pressure;      // "cpu", "io", "memory".
  std::optional<double> load;                          // Over one minute.
  std::optional<std::chrono::microseconds> throttled;  // By the CPU quota of our cgroup.
  std::optional<std::int64_t> thermal_throttles;
  std::optional<double> mhz;  // Of the first CPU, where a driver tells.
};

// The processes of one name, and how many cores they kept busy together.
struct BusyProgram {
  std::string name;
  double cores = 0;
};

// What happened between two readings. Shares are in [0, 1].
struct MachineChange {
  std::chrono::nanoseconds elapsed{0};
  std::optional<double> steal;             // Of all CPU time: taken by the hypervisor.
  std::optional<double> others_cores;      // Kept busy by what is not ours.
  std::map<std::string, double> pressure;  // Of the time: some task had to wait.
  std::optional<double> load;              // At the end.
  std::optional<double> throttled;         // Of the time.
  std::optional<std::int64_t> thermal_throttles;
  std::optional<double> mhz;         // At the end.
  std::vector<BusyProgram> busiest;  // At most three; only looked for where others were busy.

  // Reasons not to trust a run fully, such as "steal 7 %", "cpu pressure 31 %", "load 3.2". Empty
  // on a quiet machine. Counters tick every 10 ms: what is a tick or two is not marked.
  std::vector<std::string> marks;
};

// Everything but `busiest`.
MachineChange ChangeBetween(const MachineReading& before, const MachineReading& after, int cpus);

// The programs that used the most CPU time in `elapsed`, without `self` and its descendants.
// Processes that ended in between are not seen.
std::vector<BusyProgram> BusiestBetween(std::span<const ProcessTicks> before,
                                        std::span<const ProcessTicks> after,
                                        std::chrono::nanoseconds elapsed, int self);

// Looks at the machine around each run. Never fails: what cannot be read is said. Facts are read
// once, when it is made. Not safe for concurrent use.
class MachineWatch {
 public:
  // Another root than "/" is for tests: a folder with proc/ and sys/ inside.
  explicit MachineWatch(std::filesystem::path root = "/", Clock& clock = SystemClock());

  const MachineFacts& facts() const { return facts_; }
  int cpus() const { return cpus_; }

  // A few small files: well under a millisecond, so that it can be done before and after every run.
  MachineReading Read() const;

  // Where others were busy it also goes through all processes, which takes some milliseconds; at
  // most once a second. What they used is counted from the last time it did.
  MachineChange Since(const MachineReading& before);

 private:
  std::vector<BusyProgram> LookForBusiest(Clock::Monotonic now);

  std::filesystem::path root_;
  Clock* clock_;
  MachineFacts facts_;
  int cpus_ = 1;
  std::filesystem::path cgroup_cpu_stat_;
  std::vector<ProcessTicks> processes_;  // As they were at `processes_at_`.
  Clock::Monotonic processes_at_;
};

}  // namespace hone
