// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/base/process/subprocess.h"

// What programs and processors have done, to explain why a run was fast or slow. Only what the
// kernel counts anyway is read, and what can be counted on processors: a counter that goes with a
// process costs it 0.3 us at every context switch, and so would touch the score.
namespace hone {

using Counts = std::map<std::string, double>;

// With HONE_COUNTERS=off in the environment nothing is to be counted.
bool IsCountingOff();

// Of a program that has ended, with everything that it started: context_switches, page_faults,
// major_faults, cpu_time_s.
Counts CountsOf(const ProcessResult& result);

// The same of programs that run, since they were started.
struct TreeCounts {
  Counts totals;
  std::vector<pid_t> tasks;  // Their threads, in order.
};
TreeCounts ReadTreeCounts(pid_t root);

// What was added between two looks. Of threads that come or go nobody keeps the context switches:
// then these are absent.
Counts CountsBetween(const TreeCounts& before, const TreeCounts& after);

// Both added up: what both have.
Counts Together(const Counts& one, const Counts& other);

// What processors do, whoever runs on them, counted by the kernel (perf_event_open): instructions,
// cycles and cache_misses where the machine has hardware counters, cpu_migrations onto them. A name
// is absent where it cannot be counted.
class CpuCounters {
 public:
  // On these processors; on all if none are named. Counts nothing where counting is off.
  static CpuCounters Open(const std::vector<int>& cpus);

  // Since they were opened. Some microseconds for each processor.
  Counts Read() const;

 private:
  std::vector<std::pair<std::string, Descriptor>> counters_;  // By name, one a processor.
};

// What was added between two readings; names that one of them lacks are left out.
Counts CountsBetween(const Counts& before, const Counts& after);

// The counters that this process cannot have, each group with its reason: "instructions, cycles,
// cache_misses: this machine has no hardware counters". Empty if it can have all.
std::string MissingCounters();

}  // namespace hone
