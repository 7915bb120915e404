// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "hone/domains/compute/gpu/launch_block.h"
#include "hone/gpu/cublas_calls.h"
#include "hone/gpu/cuda_calls.h"

namespace hone::compute {

// Makes the steps of a launch block with NVIDIA's driver, in the context of this thread. For the
// programs in sandboxes that launch a candidate's kernels: all of it is C and the driver.
class StepMaker {
 public:
  // First of all. Null, or what is missing.
  const char* Open() { return gpu::LoadCudaCalls(cuda_); }
  const gpu::CudaCalls& cuda() const { return cuda_; }

  // False, with a complaint, if the driver refuses: these and what follows.
  bool FindDevice(int ordinal);
  bool MakeContext();
  gpu::CuDevice device() const { return device_; }
  gpu::CuStream stream() const { return stream_[0]; }  // The first one.

  // Besides the first one.
  bool MakeStreams(uint32_t streams, uint32_t marks);
  bool OpenCublas();  // For steps that multiply.
  bool LoadFunctions(const void* cubin, const char (*names)[kMaxFunctionName], uint32_t count);

  // Writes down what the driver says of the kernels, and of the launches that stand there now. What
  // it does not say is 0.
  void Describe(LaunchBlock& block) const;

  // Copies the steps, with the addresses of this call, out of memory that others write to.
  // `address_of` says where a StepAddress is.
  template <typename AddressOf>
  void Prepare(const LaunchBlock& block, const AddressOf& address_of) {
    ready_ = 0;
    wanted_ = block.steps;
    const uint32_t steps = wanted_ < kMaxSteps ? wanted_ : kMaxSteps;
    while (ready_ < steps && Prepare(block.step[ready_], address_of, prepared_[ready_])) ++ready_;
  }
  void PrepareNothing() { ready_ = wanted_ = 0; }

  // Lines that a kernel has marked would stay in the GPU's cache for its next call, or be missing
  // to another process.
  void EndPersistence() {
    if (cuda_.end_persistence != nullptr) static_cast<void>(cuda_.end_persistence());
  }

  // What was prepared, until the GPU has done it.
  bool MakeAll();

  bool Did(const char* what, int error);
  bool Complain(const char* why);
  const char* complaint() const { return complaint_; }

 private:
  // A step with the addresses of this call, in memory of our own.
  struct Prepared {
    Step step;
    gpu::CuAddress address[kMaxAddresses];
    void* argument[kMaxArguments];
  };

  template <typename AddressOf>
  bool Prepare(const Step& from, const AddressOf& address_of, Prepared& to) {
    const bool has_bytes = from.kind == kStepLaunch || from.kind == kStepMultiply;
    if (has_bytes && from.count > kMaxArgumentBytes) return false;
    memcpy(&to.step, &from, offsetof(Step, bytes) + (has_bytes ? from.count : 0));
    const Step& step = to.step;
    if (step.stream > streams_ || step.addresses > kMaxAddresses ||
        step.arguments > kMaxArguments) {
      return false;
    }
    for (uint32_t i = 0; i < step.addresses; ++i) {
      to.address[i] = address_of(step.address[i]);
      const uint32_t at = step.address[i].at;
      if (at > kMaxArgumentBytes - sizeof(gpu::CuAddress)) return false;
      memcpy(to.step.bytes + at, &to.address[i], sizeof(gpu::CuAddress));
    }
    for (uint32_t i = 0; i < kMaxArguments; ++i) {
      const bool is_there = i < step.arguments && step.argument[i] < kMaxArgumentBytes;
      to.argument[i] = is_there ? to.step.bytes + step.argument[i] : zeros_;
    }
    return true;
  }

  bool AllowShared(const Step& step, gpu::CuFunction function) const;
  bool Make(Prepared& prepared);
  bool LaunchOne(Prepared& prepared);
  bool Multiply(const Prepared& prepared);
  bool DidMultiply(const char* what, int error);
  bool Join();

  gpu::CudaCalls cuda_{};
  gpu::CublasCalls cublas_{};
  gpu::CublasHandle multiplier_ = nullptr;
  gpu::CuDevice device_ = 0;
  gpu::CuContext context_ = nullptr;
  gpu::CuStream stream_[kMaxStreams] = {};
  uint32_t streams_ = 0;  // Besides the first one.
  gpu::CuEvent mark_[kMaxMarks] = {};
  uint32_t marks_ = 0;
  gpu::CuFunction functions_[kMaxFunctions] = {};
  Prepared prepared_[kMaxSteps] = {};
  uint32_t ready_ = 0;
  uint32_t wanted_ = 0;
  alignas(16) unsigned char zeros_[kMaxArgumentBytes] = {};  // For a kernel that takes more.
  char complaint_[512] = {};
};

}  // namespace hone::compute
