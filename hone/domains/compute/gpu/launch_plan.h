// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/gpu/launch_block.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

// What a candidate's kernels are launched with, for every shape of its problem: said by comments of
// its source (SaidLaunches) or recorded of its host code (RecordedLaunches).
class LaunchPlan {
 public:
  virtual ~LaunchPlan() = default;

  // Of kernels, each once: what the cubin must define.
  virtual const std::vector<std::string>& functions() const = 0;

  // Besides the first one.
  virtual std::uint32_t streams() const { return 0; }
  virtual std::uint32_t marks() const { return 0; }

  virtual bool multiplies() const { return false; }  // By cuBLAS.

  virtual std::uint64_t ScratchBytes(const Sizes& sizes) const = 0;

  // The steps for these sizes. An error says what no GPU can launch.
  virtual Result<void> Fill(const Sizes& sizes, LaunchBlock& block) const = 0;
};

// What no GPU since 2014 can launch.
Result<void> CheckGeometry(const std::array<std::int64_t, 3>& grid,
                           const std::array<std::int64_t, 3>& block, std::int64_t shared_bytes);

}  // namespace hone::compute
