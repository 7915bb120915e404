// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>

#include "hone/core/result.h"
#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/gpu/check_task.h"
#include "hone/sandbox/sandbox.h"

namespace hone::compute {

// NVIDIA's compute-sanitizer, where CUDA is usually installed or in the folder that $HONE_CUDA
// names. kUnsupported says what to install.
Result<std::filesystem::path> FindComputeSanitizer();

// Launches kernels once under each tool of compute-sanitizer: memcheck (addresses outside of the
// arrays), racecheck (threads that race for shared memory), initcheck (memory that nobody has
// written).
class Sanitizer {
 public:
  // `command` starts the program that launches, in a sandbox that sees the GPU.
  Sanitizer(std::filesystem::path program, SandboxCommand command);

  struct Work {
    const CheckTask& task;
    std::string cubin;
    std::string inputs;
  };

  // An Error if none of the tools could be run. `limit` is for all of them.
  Result<SanitizerReport> Run(const Work& work, std::chrono::milliseconds limit,
                              const std::stop_token& stop) const;

 private:
  Result<SandboxResult> RunTool(const std::string& tool, const Work& work,
                                std::chrono::milliseconds limit, const std::stop_token& stop) const;

  std::filesystem::path program_;
  SandboxCommand command_;
};

}  // namespace hone::compute
