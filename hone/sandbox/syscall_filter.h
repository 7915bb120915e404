// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string>

#include "hone/core/result.h"

namespace hone {

struct FilterSettings {
  bool is_pinned = false;  // The program may not choose its CPUs itself.
  // Nor start a process, change its priority, lock files, send itself a SIGKILL, or leave timers
  // behind; threads it may.
  bool is_single = false;
  bool has_memory_limit = false;  // Otherwise no files in memory or large socket buffers.
  bool has_gpu = false;           // The requests of NVIDIA's driver are let through.
  bool has_kvm = false;           // The requests of /dev/kvm are let through.
  bool talks_inside = false;      // Its processes may connect to each other.

  auto operator<=>(const FilterSettings&) const = default;
};

// The allow-list of system calls, as the program for the kernel (struct sock_filter, 8 bytes each),
// made once. What is not on it does not exist (ENOSYS), so that libraries take another way; what is
// plainly hostile is refused (EPERM).
Result<std::string> SyscallFilter(const FilterSettings& settings);

}  // namespace hone
