// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"

namespace hone::sysctl {

// A parameter on this machine that somebody asked for.
struct Wanted {
  const ParameterRequest* request = nullptr;
  const ParameterFacts* facts = nullptr;  // Null: nothing is known of it.
  std::string path;
  std::string parent;        // Its condition's parent, if that is wanted too; else empty.
  bool is_there_now = true;  // Else it comes into being under its condition.
};

struct WantedSet {
  std::vector<Wanted> wanted;  // Parents before children.
  std::vector<std::string> notes;
};

// Finds out which paths the requests mean. Refused as FindTunables says, but for ranges. The
// requests and the knowledge outlive the result.
Result<WantedSet> FindWanted(KernelFiles& files, const Knowledge& knowledge,
                             const std::vector<ParameterRequest>& requests, Place place);

// The paths of one known parameter on this machine: its name or, on other kernels, an alias; for a
// pattern one a device, without those that make no sense (`skipped` has their names). `name` is
// the parameter's name, an alias, or one device's path.
struct PathsHere {
  std::vector<std::string> paths;
  std::vector<std::string> skipped;
};
PathsHere FindPaths(KernelFiles& files, const ParameterFacts& facts, const std::string& name);

}  // namespace hone::sysctl
