// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hone/core/result.h"

namespace hone::gpu {

struct GpuFacts {
  int ordinal = 0;  // As the driver counts them.
  std::string name;
  std::string uuid;
  std::string driver;  // "580.95.05"
  int major = 0;       // The compute capability: 9.0.
  int minor = 0;
  int multiprocessors = 0;
  int max_clock_mhz = 0;  // Of the multiprocessors.
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::map<int, int> attributes;             // All that the driver says of it, by CUDA's numbers.
  std::vector<std::filesystem::path> nodes;  // Files in /dev that a program needs to use it.

  std::string Architecture() const;  // "sm_90"
};

struct GpuProcess {
  pid_t pid = 0;
  std::int64_t bytes = 0;
};

// What can change from one moment to the next.
struct GpuReading {
  int clock_mhz = 0;  // Of the multiprocessors.
  int memory_clock_mhz = 0;
  int temperature = 0;
  std::int64_t used_bytes = 0;
  std::vector<std::string> slowed_by;  // "power cap", "heat", …; empty while it runs freely.
  std::vector<GpuProcess> processes;   // Everybody's that have a context.
};

struct Range {
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
};

// Memory of the GPU that another process can map, and a copy of it here. Only copies move between
// the two, no kernel: a copy runs beside whatever a candidate does and sees what is there at once.
// Copies are begun, and made in the order in which they were; GpuDevice::Finish awaits them.
class GpuMemory {
 public:
  virtual ~GpuMemory() = default;

  virtual std::size_t bytes() const = 0;
  virtual int descriptor() const = 0;         // To be handed to the process that maps it.
  virtual std::uint64_t address() const = 0;  // In our own process.
  virtual std::byte* here() = 0;              // The copy.

  virtual Result<void> Upload(const Range& range) = 0;
  virtual Result<void> Download(const Range& range) = 0;

  // Writes over all of `range`, again and again, what its first `bytes` hold.
  virtual Result<void> Repeat(const Range& range, std::size_t bytes) = 0;

  // From an address in our own process on the same GPU.
  virtual Result<void> CopyFrom(std::uint64_t address, const Range& to) = 0;
};

// To turn from one process to another and back takes a GPU several times as long: in a shorter gap
// of a hold it was nobody else's.
inline constexpr std::chrono::microseconds kMaxGapOfHold{50};

// One GPU as the judge sees it. When it was lost (kUnavailable), memory of before is good for
// nothing, and new memory is made as if nothing had been. Implementations pass
// gpu_device_contract.h.
class GpuDevice {
 public:
  virtual ~GpuDevice() = default;

  virtual const GpuFacts& Facts() const = 0;
  virtual Result<GpuReading> Read() = 0;

  // Needs a context, which is made on first use: not for a worker, whose candidates may break it.
  virtual Result<std::unique_ptr<GpuMemory>> MakeMemory(std::size_t bytes) = 0;

  // Returns when all copies that were begun are made.
  virtual Result<void> Finish() = 0;

  // Begins to copy more than the GPU's cache holds, so that nothing that anybody wrote is left in
  // it.
  virtual Result<void> Chill() = 0;

  // Begins to take the GPU. When it IsTaken, what other processes have launched does not run until
  // LetGo; a kernel of theirs that runs now is interrupted, or ended if it is short. Copies are
  // made meanwhile. One taking at a time; without LetGo it ends after some seconds.
  virtual Result<void> BeginTaking() = 0;
  virtual bool IsTaken() const = 0;
  virtual void LetGo() = 0;

  // Awaits the end of the last taking, which was let go. For how long at most the GPU was not ours
  // in it: the driver may give it to others when their slice of time has come.
  virtual Result<std::chrono::nanoseconds> LongestGap() = 0;
};

// The GPUs of this machine; no context is made. kUnsupported says why there are none.
Result<std::vector<std::shared_ptr<GpuDevice>>> FindGpus();

}  // namespace hone::gpu
