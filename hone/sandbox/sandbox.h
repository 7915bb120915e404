// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/base/process/subprocess.h"
#include "hone/core/result.h"
#include "hone/sandbox/protections.h"

namespace hone {

// A file or folder of ours that the program sees. When we are root the program is not, and reads
// only what everybody may read: a folder of mode 0700 stays closed to it (see `files`).
struct SandboxView {
  std::filesystem::path host;
  std::filesystem::path inside = {};  // The same path if empty.
  bool is_writable = false;           // Then it can fill the disk behind it. See `keep`.
};

struct SandboxLimits {
  std::int64_t memory_mib = 2048;  // Of all processes together, scratch and memfd included.
  std::int64_t scratch_mib = 256;
  std::int64_t file_mib = 256;  // The largest file that can be written.
  int processes = 64;           // Processes and threads together.
  int open_files = 256;         // Of one process.
  double cpus = 0;              // CPU seconds a second, of all processes together; 0: no limit.
  std::chrono::milliseconds wall{60'000};
};

struct SandboxCommand {
  // The program first: a path inside, or a name that is looked for in the PATH that is given, or in
  // /usr/local/bin, /usr/bin and /bin.
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;  // All that it gets.
  std::vector<SandboxView> views;                  // StandardViews() for compilers and Python.
  std::map<std::string, std::string> files;        // Laid into /scratch: name and content.
  std::vector<std::string> keep;    // Files in /scratch that are returned at the end.
  std::size_t max_kept = 64 << 20;  // Of one of them; a larger one is not returned.
  std::vector<int> descriptors;     // Of ours; become 3, 4, …; stay ours too.
  std::string input;
  SandboxLimits limits;
  std::size_t max_output = 1 << 20;  // Of each stream; what goes over is read and thrown away.
  std::vector<int> cpus;             // Pinned to these, if any.
  // It can start threads and no process, and chooses neither its CPUs nor its priority: then its
  // processor time is all that there is.
  bool is_single = false;
  // Its memory lies at the same addresses in every run, where others move (ASLR): how code lies can
  // change its speed by a quarter.
  bool has_fixed_addresses = false;
  // Files of a GPU in /dev: seen, and what its driver asks for is let through (docs/sandbox.md).
  std::vector<std::filesystem::path> gpu_nodes;
  // /dev/kvm or nothing: seen, and what is asked of it is let through (docs/sandbox.md).
  std::filesystem::path kvm_node = {};
  // Its processes may connect to each other by local sockets. Nobody else is there: without a file
  // system and a network of its own it is not run.
  bool talks_inside = false;
  std::set<Protection> minimum;  // If the machine lacks one of these, nothing is run.
  std::stop_token stop;
};

struct SandboxResult : ProgramResult {
  std::map<std::string, std::string> files;  // Those of `keep` that are plain files.

  bool is_memory_exceeded = false;     // The kernel killed something of it at its own limit.
  bool is_processes_exceeded = false;  // It was refused a process or thread.
  bool is_scratch_full = false;        // At the end there was no room left.

  Protections protections;  // That it ran under.
};

// What compilers and Python need of this machine, read-only: /usr, the links to it in /, and the
// dynamic linker's and the alternatives' part of /etc.
std::vector<SandboxView> StandardViews();

// PATH, HOME, TMPDIR, LANG and USER for those views; compilers find their parts by PATH.
std::map<std::string, std::string> StandardEnvironment();

// Runs the program and waits for it. It finds itself in /scratch, an empty folder in memory which
// is also its /tmp, and sees its views and nothing else. On return nothing of it is left: no
// process, mount, control group or file. An Error means that it could not be started (kUnsupported:
// this machine cannot contain it); what it did is in the result. Safe for concurrent use.
Result<SandboxResult> RunInSandbox(const SandboxCommand& command);

}  // namespace hone
