// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace hone {

// The process and all that descend from it now. What is started or ends meanwhile may be missed.
std::vector<pid_t> TreeOf(pid_t root);

// Whether a process descends from another, or is it. nullopt: it has ended, and nobody can say.
std::optional<bool> DescendsFrom(pid_t pid, pid_t ancestor);

// The same of one that runs the same program file as we do.
std::optional<bool> DescendsFromOurProgram(pid_t pid);

// "cat", or empty if it has ended.
std::string ProgramOf(pid_t pid);

// Whether a process of the tree has, in its network namespace, a TCP socket that listens on the
// port.
bool IsListening(pid_t root, int port);

// Whether anybody listens on the port in our own network namespace.
bool IsPortTaken(int port);

}  // namespace hone
