// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone {

// What stands between a program in a sandbox and the machine. docs/sandbox.md says of each what it
// contains. The first three are always there: without them nothing is run.
enum class Protection {
  kUserNamespace,     // Its capabilities, if it got any, are worth nothing outside.
  kMountNamespace,    // It sees only its views, read-only, and its scratch.
  kPidNamespace,      // It sees only its own processes, and all of them die with the first.
  kIpcNamespace,      // No System V objects of others.
  kUtsNamespace,      // A hostname of its own.
  kNetworkNamespace,  // No network, not even loopback, and no abstract sockets of others.
  kCgroupNamespace,   // It does not see where in the tree of control groups it is.
  kForeignUser,       // Outside it is nobody: not root, not the user that runs us.
  kOwnProc,           // A /proc of its own processes only.
  kSeccomp,           // System calls from an allow-list.
  kLandlock,          // A second opinion on files; no TCP; no signals to the outside.
  kMemoryLimit,       // On all its processes together, swap and files in memory included.
  kProcessLimit,      // On all its processes and threads together.
  kCpuLimit,          // On all its processes together.
};

// The word that evaluations and `hone doctor` carry: "user namespace", "memory limit", …
std::string_view NameOf(Protection protection);
std::vector<Protection> AllProtections();
Result<Protection> ProtectionFromName(std::string_view name);

// Those without which nothing is run.
std::set<Protection> NeededProtections();

struct Protections {
  std::map<Protection, std::string> missing;  // And why.

  bool Has(Protection protection) const { return !missing.contains(protection); }
  std::vector<std::string> Names() const;  // Of those that are there.

  // kUnsupported, with every one of `minimum` that is missing and its reason.
  Result<void> Demand(const std::set<Protection>& minimum) const;
};

// What this machine gives this process. Each is tried for real, once; later calls only answer.
const Protections& ProbeProtections();

}  // namespace hone
