// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hone/base/clock.h"

namespace hone {

// What the machine has counted since it started, at one moment, by name. What could not be read is
// absent.
struct MachineCounters {
  Clock::Monotonic at;
  std::map<std::string, double> totals;
};

// A dozen small files: about a millisecond. `network` is the folder with dev and snmp of the
// network namespace to look at: "/proc/123/net".
MachineCounters ReadMachineCounters(const std::filesystem::path& network = "/proc/net",
                                    const std::filesystem::path& root = "/",
                                    Clock& clock = SystemClock());

// What happened between two readings, for learners. Nothing here is since boot:
//
// cpu_user, cpu_system, cpu_iowait, cpu_irq, cpu_softirq, cpu_steal, cpu_idle   shares, 0 to 1
// pressure_{cpu,io,memory}_{some,full}    share of the time in which some, or all, tasks waited
// memory_available_change_mib             below zero: memory was taken
// disk_{reads,writes}_per_s, disk_{read,write}_mib_per_s         of real disks
// network_{receive,send}_mib_per_s, network_{packets,drops}_per_s, tcp_retransmits_per_s
// context_switches_per_s, forks_per_s, page_faults_per_s, major_faults_per_s, swaps_per_s
// stability                               1: nothing was held up; see StabilityOf
//
// A name is absent where one of the readings lacks it.
std::map<std::string, double> ObservationsBetween(const MachineCounters& before,
                                                  const MachineCounters& after);

// The share of the time in which nothing was held up, as if the causes were independent:
// (1 - cpu_iowait) (1 - cpu_steal) (1 - pressure_memory_some) (1 - pressure_io_full).
// What is absent counts as 0.
double StabilityOf(const std::map<std::string, double>& observations);

}  // namespace hone
