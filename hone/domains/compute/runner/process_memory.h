// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

namespace hone::compute {

// The memory of another process, read from here without its doing. It is the memory that the
// process has when this is made: where it has another later (exec), or is gone, nothing is read,
// and never a process that got its number.
class ProcessMemory {
 public:
  ProcessMemory() = default;  // Of nobody: nothing can be read.

  // kUnsupported where the machine forbids it.
  static Result<ProcessMemory> Of(pid_t process);

  // False if a part of that is not there. Does not wait for the process.
  bool Read(std::uint64_t address, std::span<std::byte> into) const;

 private:
  explicit ProcessMemory(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace hone::compute
