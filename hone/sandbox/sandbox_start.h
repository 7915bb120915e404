// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"
#include "hone/sandbox/control_group.h"
#include "hone/sandbox/sandbox.h"

// The first half of running a program in a sandbox. For the sandbox itself, and for a jail that
// brings a warden of its own (hone/kconfig/shell/shell_jail.h).
namespace hone {

struct StartedSandbox {
  pid_t warden = -1;
  Descriptor pidfd;
  Descriptor socket;
  Descriptor input;  // Our ends; they do not block. No input: not open.
  Descriptor output;
  Descriptor errors;
  std::unique_ptr<ControlGroup> group;
  Descriptor mounts;  // Its mount namespace, if it could be opened: see deferred_close.h.
};

// What a start leaves out, because the machine lacks it.
struct SandboxStyle {
  unsigned long namespaces = 0;      // CLONE_NEW…
  std::uint32_t optional_parts = 0;  // WardenPart
  bool is_trial = false;             // Everything but the program.
  int warden = -1;                   // Another first process than the usual one; see warden_part.h.
  std::map<std::filesystem::path, int> trees;  // Open copies that views by this name show.
};

constexpr unsigned kSandboxNobody = 65534;  // Who it is outside, when we are root.

// The namespaces that everything asks for, and those without which nothing is run.
unsigned long AllNamespaces();
unsigned long NeededNamespaces();

Result<StartedSandbox> StartSandbox(const SandboxCommand& command, const SandboxStyle& style);

// Not by its pid: where SIGCHLD is ignored that may be somebody else's by now.
void KillSandbox(const StartedSandbox& sandbox);

// Starts a first process in these namespaces and ends it; 0 or the errno.
int TryNamespaces(unsigned long namespaces);

}  // namespace hone
