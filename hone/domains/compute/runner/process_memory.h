// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
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

  // Whether no two addresses there are the same memory: it is the process's own, or one stretch of
  // a file. Else who writes a little would have written much. False, too, where the process has
  // more mappings, or longer names of them, than are looked at, or when asked to stop.
  bool IsWithoutAliases(std::uint64_t address, std::uint64_t bytes,
                        const std::stop_token& stop = {}) const;

 private:
  ProcessMemory(Descriptor file, Descriptor maps)
      : file_(std::move(file)), maps_(std::move(maps)) {}

  Descriptor file_;
  Descriptor maps_;
};

}  // namespace hone::compute
