// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/measure/machine_text.h"

namespace hone {

// Facts by name, for provenance. What cannot be read is there too, as "not readable".
using MachineFacts = std::map<std::string, std::string>;

// The counters of a machine at one moment. Nothing is set that could not be read.
struct MachineReading {
  Clock::Monotonic at;
  std::optional<CpuTimes> cpu;
  std::optional<CpuTicks> ours;                        // Of this process and its finished children.
  std::map<std::string, PressureTotals> pressure;      // "cpu", "io", "memory".
  std::optional<double> load;                          // Over one minute.
  std::optional<std::chrono::microseconds> throttled;  // By our cgroup's CPU quota.
  std::optional<std::int64_t> thermal_throttles;
  std::vector<ProcessTicks> processes;  // Those that are not ours.
};

struct BusyProcess {
  std::string name;
  int pid = 0;
  double cores = 0;  // How many it kept busy.
};

// What happened between two readings. Shares are in [0, 1].
struct MachineChange {
  std::chrono::nanoseconds elapsed{0};
  std::optional<double> steal;             // Of all CPU time: taken by the hypervisor.
  std::optional<double> others_cores;      // Kept busy by processes that are not ours.
  std::map<std::string, double> pressure;  // Share of the time in which some task had to wait.
  std::optional<double> load;              // At the end.
  std::optional<double> throttled;
  std::optional<std::int64_t> thermal_throttles;
  std::vector<BusyProcess> busiest;  // At most three, the busiest first.

  // Reasons not to trust a run fully, such as "steal 7 %", "cpu pressure 31 %", "load 3.2". Empty
  // on a quiet machine. Counters tick every 10 ms: what is a tick or two is not marked.
  std::vector<std::string> marks;
};

MachineChange ChangeBetween(const MachineReading& before, const MachineReading& after, int cpus);

// Looks at the machine around each run. Never fails: what cannot be read is said. Facts that do not
// change while the machine runs are read once, when it is made. Not safe for concurrent use.
class MachineWatch {
 public:
  // Another root than "/" is for tests: a folder with proc/ and sys/ inside.
  explicit MachineWatch(std::filesystem::path root = "/", Clock& clock = SystemClock());

  const MachineFacts& facts() const { return facts_; }
  int cpus() const { return cpus_; }

  // Well under a millisecond, so that it can be done before and after every run.
  MachineReading Read() const;

  MachineChange Since(const MachineReading& before) const;

 private:
  std::filesystem::path root_;
  Clock* clock_;
  MachineFacts facts_;
  int cpus_ = 1;
};

}  // namespace hone
