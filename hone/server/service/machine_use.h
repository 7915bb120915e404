// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

#include "hone/base/machine_text.h"

namespace hone::server {

// How busy this machine is. Takes microseconds: nothing is sampled over time.
struct MachineUse {
  double cpu_percent = 0;  // Since it was last asked; the first time, since the machine started.
  std::int64_t memory_total = 0;  // In bytes.
  std::int64_t memory_available = 0;
  std::int64_t resident = 0;  // Of this process.
  int threads = 0;            // Likewise.

  double MemoryPercent() const;
};

// Safe for concurrent use.
class MachineMeter {
 public:
  MachineUse Read();

 private:
  std::mutex mutex_;
  CpuTimes before_;  // When it was last asked. Protected by mutex_.
};

}  // namespace hone::server
