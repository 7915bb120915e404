// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hone/sandbox/warden.h"

// What a load and its jail say to each other; shell_jail.h says what the jail is for.
//
// The jail is a warden (hone/sandbox/warden.h) with a recipe, whose arguments are a name and the
// folder that the commands' working folder shows, or "", and whose environment is theirs. If it
// cannot be built it says so as a warden does. The first descriptor that it is given,
// kShellJailSocket, is a SOCK_STREAM socket. First the jail sends one ShellJailReport on it,
// kReady. Then it takes requests: a ShellJailRequest that carries three descriptors (the command's
// output, its errors, and a pipe for the report), followed by the command's text. How the command
// ended goes to that pipe, where nothing of the command is left any more; only the first report
// counts. A pipe that ends without one means that the jail is gone. The jail ends, with all that
// runs in it, when the socket closes.
namespace hone::kconfig {

inline constexpr int kShellJailSocket = kWardenGiven;
inline constexpr int kShellJailDescriptors = 3;          // That a request carries.
inline constexpr std::uint32_t kMaxShellText = 131'071;  // What the kernel takes as one argument.
inline constexpr int kMaxShellCells = 512;               // At once.

struct ShellJailRequest {
  std::int64_t limit_ms = 0;
  std::uint32_t size = 0;  // Of the text.
};

enum class ShellJailEnd : std::int32_t {
  kReady,     // The jail takes requests.
  kEnded,     // The command ended.
  kTimedOut,  // It was killed at its limit.
  kFailed,    // It could not be run where it harms nobody: errno in `number`, at what in `what`.
};

struct ShellJailReport {
  ShellJailEnd end = ShellJailEnd::kFailed;
  std::int32_t number = 0;
  char what[120] = {};
};

}  // namespace hone::kconfig
