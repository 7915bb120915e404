// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace hone::sysctl {

// PATH for the programs of a workload: ours, and then the places of the system's own programs,
// which the PATH of a plain user does not have (nginx lies in /usr/sbin).
std::string WorkloadSearchPath();

// The program's path; a name with a slash is taken as it is. nullopt: there is none that can be
// executed.
std::optional<std::string> FindWorkloadProgram(const std::string& name);

}  // namespace hone::sysctl
