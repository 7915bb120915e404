// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "hone/base/descriptor.h"
#include "hone/base/process/subprocess.h"
#include "hone/core/result.h"

// The first half of running a program: a supervisor and the pipes to it. For subprocess.cc and
// running_process.cc only.
namespace hone {

struct Pair {
  Descriptor ours;
  Descriptor theirs;
};

// The descriptors of one run, by who holds them.
struct Channels {
  Pair input;
  Pair output;
  Pair errors;
  Pair supervisor;
};

// A program whose supervisor runs; our ends of the channels are open, the others are closed.
struct StartedProcess {
  pid_t supervisor = 0;
  Channels channels;
};

Result<StartedProcess> StartProcess(const Command& command);

// Why the command's program could not be started, of which the kernel says that it is not there:
// it says the same of a script whose interpreter is missing.
Error MissingProgram(const Command& command);

}  // namespace hone
