// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hone/core/result.h"

namespace hone::kconfig {

// A program, embedded in the library, that runs the command of its arguments where it can harm
// nobody: every file system is read-only, and of the devices there are only null, zero, full,
// random and urandom; there is no network, no socket, no process but its own, no capability and no
// way to gain one. The working folder is a new one in memory that shows what the real one holds;
// TMPDIR is in memory too. What is written there (at most 256 MiB) goes with the command.
// Needs namespaces that a user may make, and Linux 5.12.
Result<int> ShellJailFile();

// How the program ends when it could not do that, and how its message on standard error begins.
inline constexpr int kJailFailed = 125;
inline constexpr std::string_view kJailComplaint = "hone-kconfig-jail: ";

}  // namespace hone::kconfig
