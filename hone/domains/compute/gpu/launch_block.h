// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hone/domains/compute/runner/call_block.h"

// What the judge and the runner of GPU kernels share besides the call block, which is that of
// call_block.h: its arrays lie in the GPU's memory, and `offset` of a tensor counts from the
// beginning of the inputs' or of the outputs' memory. The runner makes the launches that stand
// here, in their order. Nothing of the candidate runs on the processor: its process consists of our
// code and the driver's, so it may spin while it waits.
namespace hone::compute {

constexpr uint64_t kLaunchOffset = 49152;  // In the block's file, behind the call block.
constexpr uint32_t kMaxLaunches = 16;
constexpr uint32_t kMaxArguments = 32;
constexpr uint32_t kMaxFunctions = 16;
constexpr uint32_t kMaxFunctionName = 256;

constexpr uint32_t kArgumentInput = 0;    // The address of input number `value`.
constexpr uint32_t kArgumentOutput = 1;   // The address of output number `value`.
constexpr uint32_t kArgumentScratch = 2;  // An address `value` bytes into the scratch memory.
constexpr uint32_t kArgumentLong = 3;     // A number of 64 bits.
constexpr uint32_t kArgumentInt = 4;      // A number of 32 bits.

struct LaunchArgument {
  uint32_t kind;
  uint32_t unused;
  int64_t value;
};

struct Launch {
  uint32_t function;  // In the order of the load message.
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
  uint32_t arguments;
  uint32_t unused;
  LaunchArgument argument[kMaxArguments];
};

struct LaunchBlock {
  uint32_t launches;
  uint32_t idle_cycles;  // Of an empty call: for how long its kernel does nothing.
  Launch launch[kMaxLaunches];
};

static_assert(sizeof(CallBlock) <= kLaunchOffset);
static_assert(kLaunchOffset + sizeof(LaunchBlock) <= kBlockBytes);

constexpr uint32_t kGpuLoadMagic = 0x47505530;

// Comes with four descriptors: the block, the memory of the inputs and of the outputs, the cubin.
struct GpuLoadMessage {
  uint32_t magic;
  uint32_t version;  // Of the call block.
  uint64_t input_bytes;
  uint64_t output_bytes;
  uint64_t scratch_bytes;
  uint32_t functions;  // 0: nothing is loaded, and only empty calls are made.
  uint32_t unused;
  char function[kMaxFunctions][kMaxFunctionName];
};

constexpr int kGpuDescriptors = 4;

}  // namespace hone::compute
