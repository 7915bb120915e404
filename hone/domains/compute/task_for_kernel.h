// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

struct KernelOrder {
  std::filesystem::path file;  // The kernel's source.
  std::string problem;         // A name in data/problems, or a folder.
  Options options;             // More options of the domain: "samples", "cache", …
  std::uint64_t seed = 0;
  std::chrono::milliseconds run_timeout{60'000};
};

// A problem by its name in data/problems, or by the folder that holds one of its own.
Result<Problem> ProblemAt(const std::filesystem::path& place);

// The option of the domain that names the problem to a worker: "problem" and its name, or
// "problem_text" and its text. Files are not named to workers: they may be on another machine.
std::pair<std::string, std::string> OptionFor(const Problem& problem);

// A kernel as text, and the options of the domain, "problem" or "problem_text" among them.
struct SourceOrder {
  std::string source;
  Options options;
  std::uint64_t seed = 0;
  std::chrono::milliseconds run_timeout{60'000};
};

// The task that judges this text. Nothing of the file system is looked at.
Result<Task> TaskForSource(SourceOrder order);

// The task that judges this file. The file and the problem are checked, so that a wrong name is
// told at once; kNotFound or kInvalidArgument with a sentence for people.
Result<Task> TaskForKernel(const KernelOrder& order);

}  // namespace hone::compute
