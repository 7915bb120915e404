// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// The machine that this process runs on.
namespace hone {

// "unknown" if it has no name.
std::string HostName();

// The CPUs on which the calling thread may run, in order; empty if the kernel does not tell.
std::vector<int> AllowedCpus();

}  // namespace hone
