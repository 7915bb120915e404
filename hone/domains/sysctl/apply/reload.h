// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "hone/core/result.h"

namespace hone::sysctl {

// A command that makes a service read its configuration again.
struct Reload {
  std::vector<std::string> arguments;  // Without a shell. None: nothing is run.
  std::chrono::milliseconds timeout{30'000};
  std::chrono::milliseconds settle{0};  // What the service takes after the command has ended.

  bool operator==(const Reload&) const = default;
};

// Runs it to its end with nothing of this process: no descriptors, no signals ignored, a small
// environment. What it leaves running (a restarted service) goes on; the command itself is killed
// when its time is over, and with the process that runs it. For any process, the guardian among
// them. kInvalidArgument: it failed; the message has the end of what it said. kUnavailable: it
// could not be started, or how it ended is not known, as where SIGCHLD is ignored.
Result<void> RunReload(const Reload& reload);

}  // namespace hone::sysctl
