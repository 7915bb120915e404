// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace hone::sysctl {

// A tuned parameter that was opened while the benchmark ran.
struct Opening {
  enum class By {
    kBenchmark,  // A process that descends from it.
    kService,    // The same of the service that the workload starts.
    kEnded,      // A process that had ended before it could be traced: in a container, or after
                 // more forks than the kernel has room to tell of.
    kUnknown,    // Without root the kernel does not say who.
  };
  std::string path;
  By by = By::kUnknown;
  std::string program;  // Where known.
  int times = 1;
};

// Sees who opens files below /proc/sys and /sys, to report a benchmark that reads the parameters
// which are tuned, or whose service does, and may compute its score from them. With root by
// fanotify, which tells the process; without by inotify, which tells only that it happened.
//
// Seen: every open through any path on the machine's own /proc and /sys. Not seen: a benchmark that
// mounts a /proc of its own, that inherited an open file, or that infers a parameter from what the
// kernel does.
class OpenWatch {
 public:
  // Never fails: what cannot be watched is in `blind`. `network_namespace` is where net.*
  // parameters are looked up ("/proc/123/ns/net"), ours if empty.
  static std::unique_ptr<OpenWatch> Start(const std::vector<std::string>& paths,
                                          const std::string& network_namespace = "");

  virtual ~OpenWatch() = default;

  // All that descends from this process is the benchmark. Call it right after the start of each of
  // its commands.
  virtual void Follow(pid_t command) = 0;

  // All that descends from this process is the service. What it opened until now is left out: it
  // may have been told to read its settings again. Call it right before the start of the benchmark.
  virtual void FollowService(pid_t supervisor) = 0;

  // Ends the watch. What others than benchmark and service opened is left out where they are known.
  virtual std::vector<Opening> Stop() = 0;

  virtual const std::vector<std::string>& blind() const = 0;
};

// Whether this process may learn who opened a file.
bool CanTraceOpenings();

// "suspicious: the benchmark opened vm.swappiness", one for each parameter.
std::vector<std::string> MarksOf(const std::vector<Opening>& openings);

}  // namespace hone::sysctl
