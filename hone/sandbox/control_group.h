// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

namespace hone {

struct GroupLimits {
  std::int64_t memory_bytes = 0;
  int processes = 0;
  double cpus = 0;  // 0: no limit.
};

struct GroupFigures {
  std::int64_t memory_kills = 0;       // Processes that were killed for want of memory.
  std::int64_t memory_hits = 0;        // Times that the group's own limit left it no other way.
  std::int64_t refused_processes = 0;  // Times that a new process or thread was refused.
  int tasks = 0;                       // Processes and threads in it now.
};

// Limits that the kernel keeps on many processes together; version 1 or 2 of control groups, what
// the machine has. Removed when destroyed, which must be after its processes have ended.
class ControlGroup {
 public:
  virtual ~ControlGroup() = default;

  // Puts the calling thread, which must not be the first of the process, into the group, so that
  // what it starts is born there. Moving a process costs milliseconds, a thread that moves itself
  // microseconds. Where that does not exist, clone_into() is open instead.
  virtual Result<void> EnterThread() = 0;

  // Takes it out again. One that ends is counted for a while after it was joined, and who was born
  // in a group for few could start nothing meanwhile.
  virtual void LeaveThread() = 0;

  // For CLONE_INTO_CGROUP; -1 if EnterThread does it.
  virtual int clone_into() const = 0;

  virtual GroupFigures Read() const = 0;
};

// Where a process may make groups. `missing` says of each limit that cannot be kept why.
struct GroupPlaces {
  struct Place {
    std::filesystem::path folder;  // Holds one folder for each process that makes groups.
    int version = 1;
  };
  std::map<std::string, Place> places;  // By controller: "memory", "pids", "cpu".
  std::map<std::string, std::string> missing;
};

// From the text of /proc/self/mountinfo and /proc/self/cgroup: beneath our own group, so that the
// limits on us hold for the sandbox too; for version 2, which keeps processes out of inner groups,
// beneath the nearest one above us that can have groups in it.
GroupPlaces FindGroupPlaces(std::string_view mounts, std::string_view own);

// The places of this process, found and tried once. Removes what killed processes left there.
const GroupPlaces& OurGroupPlaces();

// A group for those limits that this process can keep; it may be none of them. Safe for concurrent
// use.
Result<std::unique_ptr<ControlGroup>> MakeControlGroup(const GroupLimits& limits);

// One in the given places, whose folders need not be the kernel's: for tests.
Result<std::unique_ptr<ControlGroup>> MakeControlGroupIn(
    const std::map<std::string, GroupPlaces::Place>& homes, const std::string& name,
    const GroupLimits& limits);

}  // namespace hone
