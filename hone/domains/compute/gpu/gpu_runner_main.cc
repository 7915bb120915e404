// SPDX-License-Identifier: Apache-2.0
// The process that launches one candidate's GPU kernels. It makes a context before it is given
// anything, maps the judge's memory, loads the cubin, and launches what the judge asks for
// (launch_block.h). The kernels may destroy its context and nothing else.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
// four, in turn: each is as new to the GPU, when it has turned to this context, as what is timed
// after them.
constexpr int kNothings = 4;
constexpr int kExercise = 4096;  // Launches.
constexpr int kAtOnce = 64;
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
           Did("cuStreamCreate", cuda_.make_stream(&stream_[0], gpu::kCuOwnStream)) &&
           LoadNothing() && Exercise();
  }

  void Take(char* memory) {
    block_ = reinterpret_cast<CallBlock*>(memory);
    launches_ = reinterpret_cast<LaunchBlock*>(memory + kLaunchOffset);
  }

  bool Load(const GpuLoadMessage& message, const int (&descriptors)[kGpuDescriptors]) {
    return Map(descriptors[1], message.input_bytes, gpu::kCuMayRead, inputs_) &&
           Map(descriptors[2], message.output_bytes, gpu::kCuMayReadAndWrite, outputs_) &&
           MakeScratch(message.scratch_bytes) && MakeStreams(message) &&
           (message.functions == 0 || LoadFunctions(message, descriptors[3]));
  }

  void AnswerLoaded(bool is_loaded) { Answer(*block_, 0, is_loaded ? kAnswerDone : kAnswerFailed); }

  // Awake from "ready" to the call, which is what is timed: the judge wakes nobody for it. Should
  // it die meanwhile, the sandbox ends.
  [[noreturn]] void Serve() {
    TakeTurns(
        *block_, true, [this] { Prepare(); }, [this] { return Run(); });
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

  // The driver writes what it launches into memory that it goes through from end to end. Where it
  // has not been yet, that memory is new to the processor, and a launch takes longer.
  bool Exercise() {
    uint64_t cycles = 0;
    void* arguments[] = {&cycles};
    for (int i = 0; i < kExercise; ++i) {
      const gpu::CuFunction nothing = nothing_[i % kNothings];
      if (!Did("launching nothing",
               cuda_.launch(nothing, 1, 1, 1, 1, 1, 1, 0, stream_[0], arguments, nullptr)) ||
          (i % kAtOnce == 0 && !Did("awaiting nothing", cuda_.await_stream(stream_[0])))) {
        return false;
      }
    }
    return Did("awaiting nothing", cuda_.await_stream(stream_[0]));
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

  bool MakeStreams(const GpuLoadMessage& message) {
    if (message.streams >= kMaxStreams || message.marks > kMaxMarks) return Complain("a bad load");
    for (; streams_ < message.streams; ++streams_) {
      const int error = cuda_.make_stream(&stream_[streams_ + 1], gpu::kCuOwnStream);
      if (!Did("a stream", error)) return false;
    }
    for (; marks_ < message.marks; ++marks_) {
      if (!Did("a mark", cuda_.make_event(&mark_[marks_], gpu::kCuWithoutTime))) return false;
    }
    return true;
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
               cuda_.launch(nothing, 1, 1, 1, 1, 1, 1, 0, stream_[0], arguments, nullptr)) &&
           Did("awaiting nothing", cuda_.await_stream(stream_[0]));
  }

  // What is launched stands in memory that the judge has just written, and reading it takes as long
  // as a short kernel: so it is read before the clock runs.
  void Prepare() {
    ready_ = 0;
    if (block_->what != kCallKernel) return;
    const uint32_t steps = launches_->steps < kMaxSteps ? launches_->steps : kMaxSteps;
    while (ready_ < steps && Prepare(launches_->step[ready_], prepared_[ready_])) ++ready_;
  }

  // A step of our own memory with the addresses of this call.
  struct Prepared {
    Step step;
    CuAddress address[kMaxAddresses];
    void* argument[kMaxArguments];
  };

  bool Prepare(const Step& from, Prepared& to) {
    if (from.kind == kStepLaunch && from.count > kMaxArgumentBytes) return false;
    memcpy(&to.step, &from, offsetof(Step, bytes) + (from.kind == kStepLaunch ? from.count : 0));
    const Step& step = to.step;
    if (step.stream > streams_ || step.addresses > kMaxAddresses ||
        step.arguments > kMaxArguments) {
      return false;
    }
    for (uint32_t i = 0; i < step.addresses; ++i) {
      to.address[i] = AddressOf(step.address[i]);
      const uint32_t at = step.address[i].at;
      if (at > kMaxArgumentBytes - sizeof(CuAddress)) return false;
      memcpy(to.step.bytes + at, &to.address[i], sizeof(CuAddress));
    }
    for (uint32_t i = 0; i < kMaxArguments; ++i) {
      const bool is_there = i < step.arguments && step.argument[i] < kMaxArgumentBytes;
      to.argument[i] = is_there ? to.step.bytes + step.argument[i] : zeros_;
    }
    return true;
  }

  bool LaunchAll() {
    if (ready_ == 0 || ready_ != launches_->steps) return Complain("a step that cannot be made");
    for (uint32_t i = 0; i < ready_; ++i) {
      if (!Make(prepared_[i])) return false;
    }
    return Join();
  }

  bool Make(Prepared& prepared) {
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
      default:
        return Complain("a step of no kind");
    }
  }

  bool Join() {
    for (uint32_t i = 0; i <= streams_; ++i) {
      if (!Did("the kernel", cuda_.await_stream(stream_[i]))) return false;
    }
    return true;
  }

  bool LaunchOne(Prepared& prepared) {
    const Step& step = prepared.step;
    if (step.function >= kMaxFunctions || functions_[step.function] == nullptr) {
      return Complain("a launch of a kernel that was not loaded");
    }
    const gpu::CuFunction function = functions_[step.function];
    if (step.shared_bytes > kSharedWithoutAsking) {
      static_cast<void>(cuda_.set_function(function, gpu::kCuMaxSharedMemory,
                                           static_cast<int>(step.shared_bytes)));
    }
    const gpu::CuStream stream = stream_[step.stream];
    const auto [gx, gy, gz] = step.grid;
    const auto [bx, by, bz] = step.block;
    return Did("a launch", step.is_cooperative != 0
                               ? cuda_.launch_together(function, gx, gy, gz, bx, by, bz,
                                                       step.shared_bytes, stream, prepared.argument)
                               : cuda_.launch(function, gx, gy, gz, bx, by, bz, step.shared_bytes,
                                              stream, prepared.argument, nullptr));
  }

  CuAddress AddressOf(const StepAddress& address) const {
    const uint64_t at = address.which < kMaxTensors ? block_->tensors[address.which].offset : 0;
    const CuAddress begin = address.kind == kAddressInput    ? inputs_ + at
                            : address.kind == kAddressOutput ? outputs_ + at
                                                             : scratch_;
    return begin + static_cast<CuAddress>(address.offset);
  }

  static constexpr uint32_t kSharedWithoutAsking = 48 << 10;

  CudaCalls cuda_{};
  gpu::CuDevice device_ = 0;
  gpu::CuContext context_ = nullptr;
  gpu::CuStream stream_[kMaxStreams] = {};
  uint32_t streams_ = 0;  // Besides the first one.
  gpu::CuEvent mark_[kMaxMarks] = {};
  uint32_t marks_ = 0;
  gpu::CuFunction nothing_[kNothings] = {};
  unsigned next_nothing_ = 0;
  gpu::CuFunction functions_[kMaxFunctions] = {};
  CuAddress inputs_ = 0;
  CuAddress outputs_ = 0;
  CuAddress scratch_ = 0;
  CallBlock* block_ = nullptr;
  LaunchBlock* launches_ = nullptr;
  Prepared prepared_[kMaxSteps] = {};
  uint32_t ready_ = 0;
  alignas(16) unsigned char zeros_[kMaxArgumentBytes] = {};  // For a kernel that takes more.
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
  void* memory = ::mmap(nullptr, kLaunchOffset + sizeof(LaunchBlock), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_POPULATE, descriptors[0], 0);
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
