// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/domains/sysctl/workload/workload_spec.h"

namespace hone::sysctl {

// A wire that broke.
struct Trip {
  enum class Wire { kMemoryPressure, kOom, kKernelLog, kLiveLimit };
  Wire wire = Wire::kMemoryPressure;
  std::string why;  // Names the wire and the numbers.
};

struct TripwireSettings {
  TripwireSpec wires;
  std::vector<MetricSpec> metrics;  // That the live limits speak of.

  // Where to look; others are for tests.
  std::filesystem::path pressure = "/proc/pressure/memory";
  std::filesystem::path vmstat = "/proc/vmstat";
  std::filesystem::path kernel_log = "/dev/kmsg";
  std::filesystem::path cgroup = "/proc/self/cgroup";
  bool takes_user_messages = false;  // Also what programs wrote to the kernel's log.
};

// Watches the machine during one run, from a thread of its own. Memory pressure and the count of
// out-of-memory kills are read ten times a second: a kernel trigger on pressure with a window
// below two seconds needs CAP_SYS_RESOURCE, which not even every root has. The kernel's log wakes
// the thread at once.
class Tripwires {
 public:
  // `on_trip` is called once at most, at once, from the watching thread or from the one that calls
  // SeeLine.
  static std::unique_ptr<Tripwires> Arm(TripwireSettings settings,
                                        std::function<void(const Trip&)> on_trip);

  virtual ~Tripwires() = default;  // Disarms.

  // A line of the benchmark's output, for the live limits. Safe for concurrent use.
  virtual void SeeLine(std::string_view line) = 0;

  // Ends the watch, after a last look. What broke, if anything did.
  virtual std::optional<Trip> Disarm() = 0;
};

// The wires of a spec that cannot work here, each with the reason.
std::vector<std::string> DeadWires(const TripwireSettings& settings);

}  // namespace hone::sysctl
