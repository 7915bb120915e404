// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>

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
  std::int64_t busy_ = 0;  // Of /proc/stat, in ticks. Protected by mutex_.
  std::int64_t total_ = 0;
};

// The number after `key` in a text like /proc/meminfo; 0 if it is not there.
std::int64_t NumberAfter(std::string_view text, std::string_view key);

}  // namespace hone::server
