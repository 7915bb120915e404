// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone {

struct Command {
  std::vector<std::string> arguments;  // The program first; found on PATH, no shell.
  std::optional<std::map<std::string, std::string>> environment;  // Ours if not given.
  std::filesystem::path folder;                                   // Ours if empty.
  std::string input;
  std::chrono::milliseconds limit{60'000};
  std::size_t max_output = 1 << 20;  // Of each stream; what goes over is read and thrown away.
  std::vector<int> cpus;             // Pinned to these, if any.
  std::stop_token stop;
};

// How a program ended, whoever watched over it.
struct ProgramResult {
  enum class End { kExited, kSignalled, kTimedOut, kStopped };
  End end = End::kExited;
  int status = 0;  // Exit status or signal.
  std::string output;
  std::string errors;
  bool is_output_cut = false;
  bool is_errors_cut = false;
  int stragglers = 0;  // Descendants that were still there when the program ended, and were killed.

  std::chrono::nanoseconds wall{0};
  std::chrono::microseconds user{0};
  std::chrono::microseconds system{0};
  std::int64_t peak_memory_kib = 0;  // Of its largest process.
};

struct ProcessResult : ProgramResult {
  std::int64_t context_switches = 0;  // This and what follows with everything beneath it.
  std::int64_t page_faults = 0;
  std::int64_t major_faults = 0;  // Of these, those that had to wait for a disk.
};

// A whole line of a program's output, without its end. Called as lines come.
using OnLine = std::function<void(std::string_view line)>;

// Runs the program and waits for it. On return nothing of it is left, at the limit as at a plain
// exit: children, grandchildren, and those that forked twice and called setsid to get away.
// An Error means that it could not be started; what it did is in the result.
Result<ProcessResult> RunProcess(const Command& command);

}  // namespace hone
