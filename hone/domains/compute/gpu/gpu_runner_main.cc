// SPDX-License-Identifier: Apache-2.0
// The process that launches one candidate's GPU kernels. It makes a context before it is given
// anything, maps the judge's memory, loads the cubin, and launches what the judge asks for
// (launch_block.h). The kernels may destroy its context and nothing else.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hone/domains/compute/gpu/launch_block.h"
#include "hone/domains/compute/runner/load_message.h"
#include "hone/domains/compute/runner/turn_taking.h"
#include "hone/gpu/cuda_calls.h"

namespace hone::compute {
namespace {

using gpu::CuAddress;
using gpu::CudaCalls;
using gpu::kCuSuccess;

// Every launch costs time by itself; this one costs so many cycles of the GPU besides. There are
// two, in turn: the second is as new to the GPU, when it has turned to this context, as what is
// timed after it.
constexpr int kNothings = 2;
constexpr const char* kNothing =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry nothing(.param .u64 cycles) {\n"
    "  .reg .u64 wanted, began, now;\n"
    "  .reg .pred early;\n"
    "  ld.param.u64 wanted, [cycles];\n"
    "  mov.u64 began, %clock64;\n"
    "again:\n"
    "  mov.u64 now, %clock64;\n"
    "  sub.u64 now, now, began;\n"
    "  setp.lt.u64 early, now, wanted;\n"
    "  @early bra again;\n"
    "  ret;\n"
    "}\n";

[[noreturn]] void Leave(const char* why) {
  ::fprintf(stderr, "%s\n", why);
  ::_exit(kBadStart);
}

class GpuRunner {
 public:
  // Everything that no candidate has a part in: first what disturbs nobody,
  bool Open(int ordinal) {
    if (const char* missing = gpu::LoadCudaCalls(cuda_); missing != nullptr)
      return Complain(missing);
    return Did("cuInit", cuda_.init(0)) && Did("cuDeviceGet", cuda_.device(&device_, ordinal));
  }

  // then what the GPU must be at rest for.
  bool MakeContext() {
    return Did("cuCtxCreate", cuda_.make_context(&context_, gpu::kCuSpins, device_)) &&
           Did("cuStreamCreate", cuda_.make_stream(&stream_, gpu::kCuOwnStream)) && LoadNothing();
  }

  void Take(char* memory) {
    block_ = reinterpret_cast<CallBlock*>(memory);
    launches_ = reinterpret_cast<LaunchBlock*>(memory + kLaunchOffset);
  }

  bool Load(const GpuLoadMessage& message, const int (&descriptors)[kGpuDescriptors]) {
    return Map(descriptors[1], message.input_bytes, gpu::kCuMayRead, inputs_) &&
           Map(descriptors[2], message.output_bytes, gpu::kCuMayReadAndWrite, outputs_) &&
           MakeScratch(message.scratch_bytes) &&
           (message.functions == 0 || LoadFunctions(message, descriptors[3]));
  }

  void AnswerLoaded(bool is_loaded) { Answer(*block_, 0, is_loaded ? kAnswerDone : kAnswerFailed); }

  // Awake from "ready" to the call, which is what is timed: the judge wakes nobody for it. Should
  // it die meanwhile, the sandbox ends.
  [[noreturn]] void Serve() {
    TakeTurns(*block_, true, [this] { return Run(); });
  }

  const char* complaint() const { return complaint_; }

 private:
  bool Complain(const char* why) {
    ::snprintf(complaint_, sizeof(complaint_), "%s", why);
    if (block_ != nullptr) SayError(*block_, complaint_);
    return false;
  }

  bool Did(const char* what, int error) {
    if (error == kCuSuccess) return true;
    const char* name = nullptr;
    if (cuda_.error_name(error, &name) != kCuSuccess) name = "an unknown error";
    char text[sizeof(complaint_)];
    ::snprintf(text, sizeof(text), "%s: %s", what, name);
    return Complain(text);
  }

  bool LoadNothing() {
    for (gpu::CuFunction& nothing : nothing_) {
      gpu::CuModule module = nullptr;
      if (!Did("an empty kernel", cuda_.load_module(&module, kNothing)) ||
          !Did("an empty kernel", cuda_.find_function(&nothing, module, "nothing"))) {
        return false;
      }
    }
    return true;
  }

  bool Map(int descriptor, uint64_t bytes, int access, CuAddress& address) {
    gpu::CuHandle handle = 0;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver takes it so.
    void* const number = reinterpret_cast<void*>(static_cast<intptr_t>(descriptor));
    const gpu::CuAccess allowed{{gpu::kCuOnDevice, device_}, access};
    return Did("importing memory", cuda_.import_memory(&handle, number, gpu::kCuByDescriptor)) &&
           Did("an address", cuda_.reserve(&address, bytes, 0, 0, 0)) &&
           Did("mapping memory", cuda_.map(address, bytes, 0, handle, 0)) &&
           Did("access to memory", cuda_.allow(address, bytes, &allowed, 1));
  }

  bool MakeScratch(uint64_t bytes) {
    return bytes == 0 || Did("scratch memory", cuda_.allocate(&scratch_, bytes));
  }

  bool LoadFunctions(const GpuLoadMessage& message, int cubin) {
    const off_t bytes = ::lseek(cubin, 0, SEEK_END);
    void* const image =
        bytes > 0 ? ::mmap(nullptr, static_cast<size_t>(bytes), PROT_READ, MAP_PRIVATE, cubin, 0)
                  : MAP_FAILED;
    if (image == MAP_FAILED) return Complain("the compiled kernel cannot be read");
    gpu::CuModule module = nullptr;
    if (!Did("loading the kernel", cuda_.load_module(&module, image))) return false;
    ::munmap(image, static_cast<size_t>(bytes));
    for (uint32_t i = 0; i < message.functions; ++i) {
      const char* const name = message.function[i];
      if (!Did(name, cuda_.find_function(&functions_[i], module, name))) return false;
    }
    return true;
  }

  bool Run() {
    const int64_t began = NowNs();
    const bool is_done = block_->what == kCallNothing ? LaunchNothing() : LaunchAll();
    block_->began_ns = began;
    block_->ended_ns = NowNs();
    return is_done;
  }

  bool LaunchNothing() {
    const gpu::CuFunction nothing = nothing_[next_nothing_++ % kNothings];
    uint64_t cycles = launches_->idle_cycles;
    void* arguments[] = {&cycles};
    return Did("launching nothing",
               cuda_.launch(nothing, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr)) &&
           Did("awaiting nothing", cuda_.await_stream(stream_));
  }

  bool LaunchAll() {
    for (uint32_t i = 0; i < launches_->launches && i < kMaxLaunches; ++i) {
      if (!LaunchOne(launches_->launch[i])) return false;
    }
    return Did("the kernel", cuda_.await_stream(stream_));
  }

  bool LaunchOne(const Launch& launch) {
    if (launch.function >= kMaxFunctions || functions_[launch.function] == nullptr) {
      return Complain("a launch of a kernel that was not loaded");
    }
    int64_t values[kMaxArguments] = {};
    void* arguments[kMaxArguments];
    for (uint32_t i = 0; i < kMaxArguments; ++i) {
      if (i < launch.arguments) values[i] = ValueOf(launch.argument[i]);
      arguments[i] = &values[i];  // Of 32 bits: its lower half, which comes first.
    }
    if (launch.shared_bytes > kSharedWithoutAsking) {
      static_cast<void>(cuda_.set_function(functions_[launch.function], gpu::kCuMaxSharedMemory,
                                           static_cast<int>(launch.shared_bytes)));
    }
    return Did("a launch",
               cuda_.launch(functions_[launch.function], launch.grid[0], launch.grid[1],
                            launch.grid[2], launch.block[0], launch.block[1], launch.block[2],
                            launch.shared_bytes, stream_, arguments, nullptr));
  }

  int64_t ValueOf(const LaunchArgument& argument) const {
    const auto number = static_cast<uint64_t>(argument.value);
    const uint64_t at = number < kMaxTensors ? block_->tensors[number].offset : 0;
    switch (argument.kind) {
      case kArgumentInput:
        return static_cast<int64_t>(inputs_ + at);
      case kArgumentOutput:
        return static_cast<int64_t>(outputs_ + at);
      case kArgumentScratch:
        return static_cast<int64_t>(scratch_ + number);
      default:
        return argument.value;
    }
  }

  static constexpr uint32_t kSharedWithoutAsking = 48 << 10;

  CudaCalls cuda_{};
  gpu::CuDevice device_ = 0;
  gpu::CuContext context_ = nullptr;
  gpu::CuStream stream_ = nullptr;
  gpu::CuFunction nothing_[kNothings] = {};
  unsigned next_nothing_ = 0;
  gpu::CuFunction functions_[kMaxFunctions] = {};
  CuAddress inputs_ = 0;
  CuAddress outputs_ = 0;
  CuAddress scratch_ = 0;
  CallBlock* block_ = nullptr;
  LaunchBlock* launches_ = nullptr;
  char complaint_[512] = {};
};

int Main(int ordinal) {
  static GpuRunner runner;
  if (!runner.Open(ordinal)) Leave(runner.complaint());
  const char ready = 'r';
  char go = 0;
  if (::send(kRunnerSocket, &ready, 1, 0) != 1) return kBadStart;
  if (::recv(kRunnerSocket, &go, 1, 0) != 1) return 0;  // The judge has no use for this one.
  if (!runner.MakeContext()) Leave(runner.complaint());
  if (::send(kRunnerSocket, &ready, 1, 0) != 1) return kBadStart;
  static GpuLoadMessage message;
  int descriptors[kGpuDescriptors] = {-1, -1, -1, -1};
  const bool is_whole = ReceiveLoad(message, descriptors) && message.magic == kGpuLoadMagic &&
                        message.functions <= kMaxFunctions;
  if (!is_whole) return 0;
  void* memory = ::mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                        descriptors[0], 0);
  if (memory == MAP_FAILED) return kBadStart;
  if (::send(kRunnerSocket, &ready, 1, 0) != 1) return kBadStart;
  ::close(kRunnerSocket);
  runner.Take(static_cast<char*>(memory));
  const bool is_loaded = runner.Load(message, descriptors);
  for (const int descriptor : descriptors) ::close(descriptor);
  runner.AnswerLoaded(is_loaded);
  if (!is_loaded) return 0;
  runner.Serve();
}

}  // namespace
}  // namespace hone::compute

int main(int count, char** words) { return hone::compute::Main(count > 1 ? ::atoi(words[1]) : 0); }
