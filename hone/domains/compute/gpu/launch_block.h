// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hone/domains/compute/runner/call_block.h"

// What the judge and the runner of GPU kernels share besides the call block, which is that of
// call_block.h: its arrays lie in the GPU's memory, and `offset` of a tensor counts from the
// beginning of the inputs' or of the outputs' memory. The runner makes the steps that stand here,
// in their order. Nothing of the candidate runs on the processor: its process consists of our code
// and the driver's, so it may spin while it waits.
namespace hone::compute {

constexpr uint64_t kLaunchOffset = kBlockBytes;  // Where the arrays of other runners lie.
constexpr uint32_t kMaxSteps = 64;
constexpr uint32_t kMaxArguments = 32;
constexpr uint32_t kMaxArgumentBytes = 4096;  // Of all arguments of a kernel.
constexpr uint32_t kMaxAddresses = 32;
constexpr uint32_t kMaxFunctions = 16;
constexpr uint32_t kMaxFunctionName = 1024;
constexpr uint32_t kMaxStreams = 8;
constexpr uint32_t kMaxMarks = 64;

constexpr uint32_t kAddressInput = 0;    // In the array with number `which` of the call's table.
constexpr uint32_t kAddressOutput = 1;   // The same.
constexpr uint32_t kAddressScratch = 2;  // In the memory that the kernels have for themselves.

// An address that is known when the call is made, and then written into the bytes of its step.
struct StepAddress {
  uint32_t kind;
  uint32_t which;
  uint32_t at;  // Where in the bytes.
  uint32_t unused;
  int64_t offset;  // From the beginning of what it points into.
};

constexpr uint32_t kStepLaunch = 0;    // Of kernel `function`, with `count` bytes of arguments.
constexpr uint32_t kStepFill = 1;      // `count` bytes with `value`; the bytes have the address.
constexpr uint32_t kStepCopy = 2;      // `count` bytes on the GPU; the bytes: to, then from.
constexpr uint32_t kStepMark = 3;      // Mark number `which`: what is in the stream until now.
constexpr uint32_t kStepAwait = 4;     // The stream goes on when mark number `which` is reached.
constexpr uint32_t kStepJoin = 5;      // The processor waits: for all, or with `which`, the stream.
constexpr uint32_t kStepMultiply = 6;  // By cuBLAS; the bytes: where a, b, c are, a MatrixProduct.

struct Step {
  uint32_t kind;
  uint32_t stream;
  uint32_t which;
  uint32_t value;
  uint64_t count;
  uint32_t function;  // In the order of the load message.
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
  uint32_t is_cooperative;  // All of its blocks run at once.
  uint32_t arguments;
  uint32_t addresses;
  uint32_t unused;
  uint32_t argument[kMaxArguments];  // Where in the bytes each begins.
  StepAddress address[kMaxAddresses];
  alignas(16) unsigned char bytes[kMaxArgumentBytes];
};

// c = alpha * a * b + beta * c, `count` times, as cublasGemmStridedBatchedEx takes it: types and
// modes are NVIDIA's numbers.
struct MatrixProduct {
  int32_t transpose_a, transpose_b;
  int32_t m, n, k;
  int32_t type_a, type_b, type_c;
  int32_t lead_a, lead_b, lead_c;  // From one column to the next, in elements.
  int32_t count;
  int32_t compute;
  int32_t algorithm;
  int64_t stride_a, stride_b, stride_c;  // From one matrix to the next.
  unsigned char alpha[8], beta[8];       // In the type that `compute` says.
};
constexpr uint32_t kProductAt = 3 * sizeof(uint64_t);  // In the bytes of a step.

// What the driver says of a kernel that was loaded.
struct FunctionFacts {
  int32_t registers;    // Of a thread,
  int32_t local_bytes;  // and what it has besides them.
  int32_t shared_bytes;
  int32_t max_threads;
};

struct LaunchBlock {
  uint32_t steps;
  uint32_t idle_cycles;  // Of an empty call: for how long its kernel does nothing.
  uint32_t spoil;        // Of kCallSpoil: the byte that is written.
  Step step[kMaxSteps];
  // The runner's, written while it loads: of the kernels, and for the steps that stand here then,
  // how many blocks a multiprocessor has at once.
  FunctionFacts function[kMaxFunctions];
  int32_t blocks_at_once[kMaxSteps];
};

static_assert(sizeof(CallBlock) <= kLaunchOffset);
static_assert(sizeof(Step) == 5072);  // tests/cheats/gpu/host_forges_nothing.cu writes one.

constexpr uint32_t kGpuLoadMagic = 0x47505531;

// Comes with four descriptors: the block, the memory of the inputs and of the outputs, the cubin.
struct GpuLoadMessage {
  uint32_t magic;
  uint32_t version;  // Of the call block.
  uint64_t input_bytes;
  uint64_t output_bytes;
  uint64_t scratch_bytes;
  uint32_t functions;  // 0: nothing is loaded, and only empty calls are made.
  uint32_t streams;    // That the steps use besides the first.
  uint32_t marks;
  uint32_t multiplies;  // Its steps need cuBLAS.
  char function[kMaxFunctions][kMaxFunctionName];
};

constexpr int kGpuDescriptors = 4;

}  // namespace hone::compute
