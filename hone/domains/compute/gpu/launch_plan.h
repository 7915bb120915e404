// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/gpu/launch_block.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

// How the kernels of a source are launched, in order: said by the source itself, in comments, as
// arithmetic over the problem's sizes. docs/formats/gpu-kernel.md describes it.
//
//   // hone: scratch partial bytes(4 * ((n + 255) / 256))
//   // hone: launch reduce grid((n + 255) / 256) block(256) args(x, partial, n)
//   // hone: launch finish grid(1) block(256) shared(1024) args(partial, out, int (n + 255) / 256)
class LaunchPlan {
 public:
  // An error says what is wrong, and in which line of the source.
  static Result<LaunchPlan> Parse(std::string_view source, const Problem& problem);

  // Of kernels, each once: what the cubin must define.
  const std::vector<std::string>& functions() const { return functions_; }

  std::uint64_t ScratchBytes(const Sizes& sizes) const;

  // What is to be launched for these sizes. An error says what no GPU can launch.
  Result<void> Fill(const Sizes& sizes, LaunchBlock& block) const;

 private:
  friend class LaunchPlanParser;

  struct Argument {
    std::uint32_t kind = kArgumentLong;
    std::size_t which = 0;  // In the table of tensors, or of scratch arrays.
    Formula value;
  };
  struct PlannedLaunch {
    std::uint32_t function = 0;
    std::vector<Formula> grid;
    std::vector<Formula> block;
    Formula shared;
    std::vector<Argument> arguments;
  };
  struct Scratch {
    std::string name;
    Formula bytes;
  };

  std::uint64_t ScratchOffset(const Sizes& sizes, std::size_t which) const;

  std::vector<std::string> functions_;
  std::vector<PlannedLaunch> launches_;
  std::vector<Scratch> scratch_;
};

}  // namespace hone::compute
