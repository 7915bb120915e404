// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <vector>

// How the warden comes into the world. For the sandbox itself.
namespace hone {

struct WardenCloneOptions {
  unsigned long namespaces = 0;  // CLONE_NEW…
  int program = -1;
  std::vector<int> descriptors;  // Become 0, 1, 2, …; nothing else is open in the warden.
  int group = -1;                // A folder of cgroup 2 to be born in, if open.
};

// Its pid, or -1 and errno. It has all capabilities over its new namespaces, and none over ours. It
// is waited for with __WALL. The caller's memory is not copied: a
// start costs the same in a large process as in a small one.
pid_t CloneWarden(const WardenCloneOptions& options, int& pidfd);

}  // namespace hone
