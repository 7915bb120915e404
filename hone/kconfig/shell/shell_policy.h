// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
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
  kRestricted,  // Run it where it can harm nobody: see shell_jail.h. The default.
  kRecorded,    // Answer from the table alone; a command that is not in it is an error.
  kRefuse,      // Every command is an error.
};

Result<ShellPolicy> ShellPolicyNamed(std::string_view name);  // run, restricted, recorded, refuse

// Commands and what they gave: the output as the macro language sees it.
using ShellTable = std::map<std::string, std::string, std::less<>>;

// Commands and what came of them: the output, or why there is none.
using ShellOutcomes = std::map<std::string, Result<std::string>, std::less<>>;

struct ShellSettings {
  ShellPolicy policy = ShellPolicy::kRun;          // kRun or kRestricted.
  std::map<std::string, std::string> environment;  // What the commands see.
  std::string folder;                              // Where they run; ours, or none, if empty.
  std::vector<std::filesystem::path> visible;      // What restricted ones may read: shell_jail.h.
  unsigned parallel = 0;                           // At once; 0: one for each CPU.
  std::chrono::milliseconds limit{60'000};         // For each command.
};

// Runs commands, several at once. For one thread.
class ShellRunner {
 public:
  virtual ~ShellRunner() = default;

  virtual void Start(const std::string& command) = 0;

  // Waits for all that were started. The output of each: at most 4095 bytes, newlines at the end
  // removed, others turned into spaces. The exit status does not matter. One that does not end in
  // time, or cannot be started, is an Error; those that had not begun by then are left out.
  virtual ShellOutcomes Finish() = 0;
};

std::unique_ptr<ShellRunner> MakeShellRunner(ShellSettings settings);

// Turns raw output into what $(shell) gives.
std::string NormaliseShellOutput(std::string_view output);

}  // namespace hone::kconfig
