// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/gpu/launch_plan.h"

namespace hone::compute {

// A source with host code, built: the GPU's code, and for every shape what the host code asked for
// (entry_recording.h). One text of bytes.
struct EntryBuild {
  std::string cubin;
  std::vector<std::string> recordings;  // In the order of ShapesOf.
};
std::string PackEntryBuild(const EntryBuild& build);
Result<EntryBuild> UnpackEntryBuild(std::string_view bytes);

// What host code asked for, as it was recorded. A recording may be forged: it can ask for nothing
// that comments could not ask for as well, fills and copies stay within arrays, and cuBLAS
// multiplies only where the problem's policy allows libraries.
class RecordedLaunches final : public LaunchPlan {
 public:
  // kCorrupt says what no host code can have asked for, kInvalidArgument what no GPU can launch.
  static Result<RecordedLaunches> Make(const EntryBuild& build, const Problem& problem,
                                       Precision precision);

  const std::vector<std::string>& functions() const override { return functions_; }
  std::uint32_t streams() const override { return streams_; }
  std::uint32_t marks() const override { return marks_; }
  bool multiplies() const override { return multiplies_; }
  std::uint64_t ScratchBytes(const Sizes& sizes) const override;
  Result<void> Fill(const Sizes& sizes, LaunchBlock& block) const override;

 private:
  struct Recording {
    Sizes sizes;
    std::uint64_t scratch_bytes = 0;
    std::vector<Step> steps;
  };

  const Recording* Find(const Sizes& sizes) const;

  std::vector<std::string> functions_;
  std::uint32_t streams_ = 0;
  std::uint32_t marks_ = 0;
  bool multiplies_ = false;
  std::vector<Recording> recordings_;
};

}  // namespace hone::compute
