// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hone::sysctl {

// Somebody else who sets a parameter, too.
struct Conflict {
  std::string path;    // Of the parameter.
  std::string source;  // "/etc/sysctl.d/50-x.conf:3", or "tuned (profile balanced)".
  std::string value;   // Empty where it cannot be said.
  std::string what;    // One sentence: what happens.

  bool operator==(const Conflict&) const = default;
};

// Who else sets these parameters: sysctl.d and sysctl.conf, lines of tmpfiles.d that write, the
// active profile of tuned with what it includes, and the daemons tuned and bpftune if they run.
// Of several files that set one, the one that counts in the end. `root` is for tests: a folder
// with etc/, usr/, run/ and proc/ inside. What cannot be read is not there.
std::vector<Conflict> FindConflicts(const std::vector<std::string>& paths,
                                    const std::filesystem::path& root = "/");

}  // namespace hone::sysctl
