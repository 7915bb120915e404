// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hone/core/result.h"

namespace hone::kconfig {

// What is said of a command that had to be ended, wherever it ran; follows its name.
Error DidNotEndWithin(std::chrono::milliseconds limit);

struct ShellJailSettings {
  std::map<std::string, std::string> environment;  // All that they see, with HOME and TMPDIR.
  std::vector<std::filesystem::path> visible;      // Absolute folders that they may read.
  std::string folder;             // One below those, which their working folder shows; empty: none.
  std::size_t max_output = 4096;  // What goes over is read and thrown away.
  // A jail that has not answered this long after a command's limit hangs.
  std::chrono::milliseconds hang_timeout{10'000};
};

// Where the commands of one load run and can harm nobody. One process, made at the first command
// and ended with this object, is a sandbox (hone/sandbox/sandbox.h) with all that is the same for
// them: a root of its own that holds the visible folders, what a compiler needs of the machine,
// five devices, all read-only, and nothing else; no network; as root the user nobody; at most 4 GiB
// of memory. Each command has a cell in it: no process but its own, a /proc of those, no capability
// and no way to gain one, the sandbox's system calls and Landlock, at most 1,024 processes, and as
// working folder a new one in memory that shows what the real one holds; TMPDIR is in memory too.
// What is written there (at most 256 MiB) and what still runs goes with the command, so that none
// sees what another did.
//
// A jail that dies or hangs fails the commands in it, saying so, and the next one gets a new jail.
// Needs namespaces, and Linux 5.12. Safe for concurrent use.
class ShellJail {
 public:
  explicit ShellJail(ShellJailSettings settings);
  ~ShellJail();
  ShellJail(const ShellJail&) = delete;
  ShellJail& operator=(const ShellJail&) = delete;

  // The output of `/bin/sh -c TEXT`. An Error says in words that follow the command's name why
  // there is none: kUnsupported, it cannot be confined here; kUnavailable, it did not end within
  // the limit, or the jail died.
  Result<std::string> Run(const std::string& text, std::chrono::milliseconds limit);

  // The process that holds the jail; 0 while there is none.
  pid_t pid() const;

 private:
  class Process;

  Result<std::shared_ptr<Process>> Current();
  void GiveUp(const std::shared_ptr<Process>& process);

  const ShellJailSettings settings_;
  mutable std::mutex mutex_;
  std::shared_ptr<Process> process_;  // Null before the first command, and after a death.
};

}  // namespace hone::kconfig
