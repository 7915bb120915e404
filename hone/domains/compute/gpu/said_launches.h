// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/gpu/launch_plan.h"

namespace hone::compute {

// Whether a source says how its kernels are launched; one that does not has host code that does.
bool SaysLaunches(std::string_view source);

// How the kernels of a source are launched, in order: said by the source itself, in comments, as
// arithmetic over the problem's sizes. docs/formats/gpu-kernel.md describes it.
//
//   // hone: scratch partial bytes(4 * ((n + 255) / 256))
//   // hone: launch reduce grid((n + 255) / 256) block(256) args(x, partial, n)
//   // hone: launch finish grid(1) block(256) shared(1024) args(partial, out, int (n + 255) / 256)
class SaidLaunches final : public LaunchPlan {
 public:
  // An error says what is wrong, and in which line of the source.
  static Result<SaidLaunches> Parse(std::string_view source, const Problem& problem);

  const std::vector<std::string>& functions() const override { return functions_; }
  std::uint64_t ScratchBytes(const Sizes& sizes) const override;
  Result<void> Fill(const Sizes& sizes, LaunchBlock& block) const override;

 private:
  friend class SaidLaunchesParser;

  struct Argument {
    enum class Kind { kInput, kOutput, kScratch, kNumber };
    Kind kind = Kind::kNumber;
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
  void FillArgument(const Sizes& sizes, const Argument& argument, Step& step) const;

  std::vector<std::string> functions_;
  std::vector<PlannedLaunch> launches_;
  std::vector<Scratch> scratch_;
};

}  // namespace hone::compute
