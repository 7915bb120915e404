// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::kconfig {

// What `$(shell,COMMAND)` may do. The commands are those of the tree: one that is not trusted could
// run anything.
enum class ShellPolicy {
  kRun,         // Run it as this user.
  kRestricted,  // Run it without network and without a way to gain rights.
  kRecorded,    // Answer from the table alone; a command that is not in it is an error.
  kRefuse,      // Every command is an error.
};

// Commands and what they gave: the output as the macro language sees it.
using ShellTable = std::map<std::string, std::string, std::less<>>;

struct ShellSettings {
  ShellPolicy policy = ShellPolicy::kRun;
  std::map<std::string, std::string> environment;  // What the commands see.
  std::string folder;                              // Where they run; ours if empty.
  unsigned parallel = 0;                           // At once; 0 is one for each CPU.
};

// Runs commands by the policy. Not for concurrent use.
class ShellRunner {
 public:
  virtual ~ShellRunner() = default;

  // The output of each command: at most 4095 bytes, newlines at the end removed, others turned into
  // spaces. The exit status does not matter. Misses run in parallel.
  virtual Result<std::vector<std::string>> Run(const std::vector<std::string>& commands) = 0;
};

std::unique_ptr<ShellRunner> MakeShellRunner(ShellSettings settings);

// Turns raw output into what $(shell) gives.
std::string NormaliseShellOutput(std::string_view output);

}  // namespace hone::kconfig
