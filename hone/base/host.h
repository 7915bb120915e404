// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// The machine that this process runs on.
namespace hone {

// "unknown" if it has no name.
std::string HostName();

// The CPUs on which the calling thread may run, in order; empty if the kernel does not tell.
std::vector<int> AllowedCpus();

// Of the machine; 0 if the kernel does not tell. A control group may allow less.
std::int64_t MachineMemoryMib();

// What a process alone keeps in memory, in bytes; 0 if it cannot be seen.
std::size_t PrivateMemoryOf(pid_t process);

}  // namespace hone
