// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hone/domains/compute/gpu/launch_block.h"

// What the program that launches kernels under a sanitizer finds in its folder: this as `task`, the
// code of the GPU as `cubin`, and the arrays of the inputs, one after the other, as `inputs`. It
// makes the steps once, every array in an allocation of its own, and leaves a file kChecked there:
// what a kernel prints is no word of ours.
namespace hone::compute {

constexpr uint32_t kCheckMagic = 0x47505543;
constexpr const char* kChecked = "checked";

struct CheckTask {
  uint32_t magic;
  uint32_t functions;
  uint32_t streams;
  uint32_t marks;
  uint32_t inputs;   // The first so many of `bytes`,
  uint32_t outputs;  // and the next.
  uint32_t multiplies;
  uint32_t unused;
  uint64_t scratch_bytes;
  uint64_t bytes[kMaxTensors];
  char function[kMaxFunctions][kMaxFunctionName];
  LaunchBlock launches;
};

}  // namespace hone::compute
