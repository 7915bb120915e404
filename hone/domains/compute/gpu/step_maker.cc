// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/step_maker.h"

#include <stdio.h>

namespace hone::compute {
namespace {

using gpu::kCuSuccess;

constexpr uint32_t kSharedWithoutAsking = 48 << 10;

}  // namespace

bool StepMaker::Complain(const char* why) {
  ::snprintf(complaint_, sizeof(complaint_), "%s", why);
  return false;
}

bool StepMaker::Did(const char* what, int error) {
  if (error == kCuSuccess) return true;
  const char* name = nullptr;
  if (cuda_.error_name(error, &name) != kCuSuccess) name = "an unknown error";
  ::snprintf(complaint_, sizeof(complaint_), "%s: %s", what, name);
  return false;
}

bool StepMaker::FindDevice(int ordinal) {
  return Did("cuInit", cuda_.init(0)) && Did("cuDeviceGet", cuda_.device(&device_, ordinal));
}

bool StepMaker::MakeContext() {
  return Did("cuCtxCreate", cuda_.make_context(&context_, gpu::kCuSpins, device_)) &&
         Did("cuStreamCreate", cuda_.make_stream(&stream_[0], gpu::kCuOwnStream));
}

bool StepMaker::MakeStreams(uint32_t streams, uint32_t marks) {
  if (streams >= kMaxStreams || marks > kMaxMarks) return Complain("a bad load");
  for (; streams_ < streams; ++streams_) {
    const int error = cuda_.make_stream(&stream_[streams_ + 1], gpu::kCuOwnStream);
    if (!Did("a stream", error)) return false;
  }
  for (; marks_ < marks; ++marks_) {
    if (!Did("a mark", cuda_.make_event(&mark_[marks_], gpu::kCuWithoutTime))) return false;
  }
  return true;
}

bool StepMaker::OpenCublas() {
  if (const char* missing = gpu::LoadCublasCalls(cublas_); missing != nullptr) {
    ::snprintf(complaint_, sizeof(complaint_), "cuBLAS is not here: there is no %s", missing);
    return false;
  }
  return DidMultiply("cublasCreate", cublas_.make(&multiplier_));
}

bool StepMaker::DidMultiply(const char* what, int error) {
  if (error == 0) return true;
  ::snprintf(complaint_, sizeof(complaint_), "%s: status %d", what, error);
  return false;
}

bool StepMaker::LoadFunctions(const void* cubin, const char (*names)[kMaxFunctionName],
                              uint32_t count) {
  if (count > kMaxFunctions) return Complain("a bad load");
  gpu::CuModule module = nullptr;
  if (!Did("loading the kernel", cuda_.load_module(&module, cubin))) return false;
  for (uint32_t i = 0; i < count; ++i) {
    if (!Did(names[i], cuda_.find_function(&functions_[i], module, names[i]))) return false;
  }
  return true;
}

void StepMaker::Describe(LaunchBlock& block) const {
  for (uint32_t i = 0; i < kMaxFunctions && functions_[i] != nullptr; ++i) {
    const auto say = [&](int attribute, int32_t& to) {
      int value = 0;
      to = cuda_.function_attribute(&value, attribute, functions_[i]) == kCuSuccess ? value : 0;
    };
    FunctionFacts& facts = block.function[i];
    say(gpu::kCuRegisters, facts.registers);
    say(gpu::kCuLocalBytes, facts.local_bytes);
    say(gpu::kCuStaticSharedBytes, facts.shared_bytes);
    say(gpu::kCuMaxThreadsOfBlock, facts.max_threads);
  }
  for (uint32_t i = 0; i < block.steps && i < kMaxSteps; ++i) {
    const Step& step = block.step[i];
    block.blocks_at_once[i] = 0;
    if (step.kind != kStepLaunch || step.function >= kMaxFunctions) continue;
    const gpu::CuFunction function = functions_[step.function];
    if (function == nullptr || !AllowShared(step, function)) continue;
    int blocks = 0;
    const int threads = static_cast<int>(step.block[0] * step.block[1] * step.block[2]);
    const int error = cuda_.blocks_at_once(&blocks, function, threads, step.shared_bytes);
    block.blocks_at_once[i] = error == kCuSuccess ? blocks : 0;
  }
}

// More than a kernel has without asking.
bool StepMaker::AllowShared(const Step& step, gpu::CuFunction function) const {
  return step.shared_bytes <= kSharedWithoutAsking ||
         cuda_.set_function(function, gpu::kCuMaxSharedMemory,
                            static_cast<int>(step.shared_bytes)) == kCuSuccess;
}

bool StepMaker::MakeAll() {
  if (ready_ == 0 || ready_ != wanted_) return Complain("a step that cannot be made");
  for (uint32_t i = 0; i < ready_; ++i) {
    if (!Make(prepared_[i])) return false;
  }
  return Join();
}

bool StepMaker::Make(Prepared& prepared) {
  const Step& step = prepared.step;
  const gpu::CuStream stream = stream_[step.stream];
  switch (step.kind) {
    case kStepLaunch:
      return LaunchOne(prepared);
    case kStepFill:
      return Did("filling memory",
                 cuda_.fill(prepared.address[0], step.value & 0xff, step.count, stream));
    case kStepCopy:
      return Did("copying memory", cuda_.copy_on_device(prepared.address[0], prepared.address[1],
                                                        step.count, stream));
    case kStepMark:
      return step.which < marks_ ? Did("a mark", cuda_.record_event(mark_[step.which], stream))
                                 : Complain("a mark that was not made");
    case kStepAwait:
      return step.which < marks_
                 ? Did("waiting for a mark", cuda_.stream_awaits(stream, mark_[step.which], 0))
                 : Complain("a mark that was not made");
    case kStepJoin:
      return step.which == 0 ? Join() : Did("the kernel", cuda_.await_stream(stream));
    case kStepMultiply:
      return Multiply(prepared);
    default:
      return Complain("a step of no kind");
  }
}

bool StepMaker::Multiply(const Prepared& prepared) {
  const Step& step = prepared.step;
  if (multiplier_ == nullptr || step.addresses != 3) return Complain("a product without cuBLAS");
  MatrixProduct product;
  ::memcpy(&product, step.bytes + kProductAt, sizeof(product));
  return DidMultiply("cublasSetStream", cublas_.use_stream(multiplier_, stream_[step.stream])) &&
         DidMultiply(
             "cublasGemmStridedBatchedEx",
             cublas_.multiply(multiplier_, product.transpose_a, product.transpose_b, product.m,
                              product.n, product.k, product.alpha, prepared.address[0],
                              product.type_a, product.lead_a, product.stride_a, prepared.address[1],
                              product.type_b, product.lead_b, product.stride_b, product.beta,
                              prepared.address[2], product.type_c, product.lead_c, product.stride_c,
                              product.count, product.compute, product.algorithm));
}

bool StepMaker::Join() {
  for (uint32_t i = 0; i <= streams_; ++i) {
    if (!Did("the kernel", cuda_.await_stream(stream_[i]))) return false;
  }
  return true;
}

bool StepMaker::LaunchOne(Prepared& prepared) {
  const Step& step = prepared.step;
  if (step.function >= kMaxFunctions || functions_[step.function] == nullptr) {
    return Complain("a launch of a kernel that was not loaded");
  }
  const gpu::CuFunction function = functions_[step.function];
  static_cast<void>(AllowShared(step, function));  // If not, the launch says why.
  const gpu::CuStream stream = stream_[step.stream];
  const auto [gx, gy, gz] = step.grid;
  const auto [bx, by, bz] = step.block;
  return Did("a launch", step.is_cooperative != 0
                             ? cuda_.launch_together(function, gx, gy, gz, bx, by, bz,
                                                     step.shared_bytes, stream, prepared.argument)
                             : cuda_.launch(function, gx, gy, gz, bx, by, bz, step.shared_bytes,
                                            stream, prepared.argument, nullptr));
}

}  // namespace hone::compute
