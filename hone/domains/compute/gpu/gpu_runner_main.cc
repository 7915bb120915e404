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
#include "hone/domains/compute/gpu/step_maker.h"
#include "hone/domains/compute/runner/load_message.h"
#include "hone/domains/compute/runner/turn_taking.h"
#include "hone/gpu/cuda_calls.h"

namespace hone::compute {
namespace {

using gpu::CuAddress;
using gpu::CudaCalls;

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
    if (const char* missing = maker_.Open(); missing != nullptr) return maker_.Complain(missing);
    return maker_.FindDevice(ordinal);
  }

  // then what the GPU must be at rest for.
  bool MakeContext() { return maker_.MakeContext() && LoadNothing() && Exercise(); }

  void Take(char* memory) {
    block_ = reinterpret_cast<CallBlock*>(memory);
    launches_ = reinterpret_cast<LaunchBlock*>(memory + kLaunchOffset);
  }

  bool Load(const GpuLoadMessage& message, const int (&descriptors)[kGpuDescriptors]) {
    return Map(descriptors[1], message.input_bytes, gpu::kCuMayRead, inputs_) &&
           Map(descriptors[2], message.output_bytes, gpu::kCuMayReadAndWrite, outputs_) &&
           MakeScratch(message.scratch_bytes) &&
           maker_.MakeStreams(message.streams, message.marks) &&
           (message.multiplies == 0 || maker_.OpenCublas()) &&
           (message.functions == 0 || LoadFunctions(message, descriptors[3]));
  }

  void AnswerLoaded(bool is_loaded) {
    if (!is_loaded) SayError(*block_, complaint());
    Answer(*block_, 0, is_loaded ? kAnswerDone : kAnswerFailed);
  }

  // Awake from "ready" to the call, which is what is timed: the judge wakes nobody for it. Should
  // it die meanwhile, the sandbox ends.
  [[noreturn]] void Serve() {
    TakeTurns(
        *block_, true, [this] { Prepare(); }, [this] { return Run(); });
  }

  const char* complaint() const { return maker_.complaint(); }

 private:
  bool LoadNothing() {
    for (gpu::CuFunction& nothing : nothing_) {
      gpu::CuModule module = nullptr;
      if (!maker_.Did("an empty kernel", cuda_.load_module(&module, kNothing)) ||
          !maker_.Did("an empty kernel", cuda_.find_function(&nothing, module, "nothing"))) {
        return false;
      }
    }
    return true;
  }

  // The driver writes what it launches into memory that it goes through from end to end. Where it
  // has not been yet, that memory is new to the processor, and a launch takes longer.
  bool Exercise() {
    for (int i = 0; i < kExercise; ++i) {
      if (!LaunchNothing(0) || (i % kAtOnce == 0 && !AwaitNothing())) return false;
    }
    return AwaitNothing();
  }

  bool Map(int descriptor, uint64_t bytes, int access, CuAddress& address) {
    gpu::CuHandle handle = 0;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver takes it so.
    void* const number = reinterpret_cast<void*>(static_cast<intptr_t>(descriptor));
    const gpu::CuAccess allowed{{gpu::kCuOnDevice, maker_.device()}, access};
    return maker_.Did("importing memory",
                      cuda_.import_memory(&handle, number, gpu::kCuByDescriptor)) &&
           maker_.Did("an address", cuda_.reserve(&address, bytes, 0, 0, 0)) &&
           maker_.Did("mapping memory", cuda_.map(address, bytes, 0, handle, 0)) &&
           maker_.Did("access to memory", cuda_.allow(address, bytes, &allowed, 1));
  }

  bool MakeScratch(uint64_t bytes) {
    scratch_bytes_ = bytes;
    return bytes == 0 || maker_.Did("scratch memory", cuda_.allocate(&scratch_, bytes));
  }

  bool LoadFunctions(const GpuLoadMessage& message, int cubin) {
    const off_t bytes = ::lseek(cubin, 0, SEEK_END);
    void* const image =
        bytes > 0 ? ::mmap(nullptr, static_cast<size_t>(bytes), PROT_READ, MAP_PRIVATE, cubin, 0)
                  : MAP_FAILED;
    if (image == MAP_FAILED) return maker_.Complain("the compiled kernel cannot be read");
    const bool is_loaded = maker_.LoadFunctions(image, message.function, message.functions);
    ::munmap(image, static_cast<size_t>(bytes));
    if (is_loaded) maker_.Describe(*launches_);
    return is_loaded;
  }

  bool Run() {
    const int64_t began = NowNs();
    const bool is_done = Make(block_->what);
    block_->began_ns = began;
    block_->ended_ns = NowNs();
    if (!is_done) SayError(*block_, complaint());
    return is_done;
  }

  bool Make(uint32_t what) {
    if (what == kCallNothing) return LaunchNothing(launches_->idle_cycles) && AwaitNothing();
    return what == kCallSpoil ? Spoil() : maker_.MakeAll();
  }

  // With an empty kernel behind it they are two: those before a call stay even in number.
  bool Spoil() {
    const auto byte = static_cast<unsigned char>(launches_->spoil);
    return maker_.Did("writing over scratch memory",
                      cuda_.fill(scratch_, byte, scratch_bytes_, maker_.stream())) &&
           LaunchNothing(0) && AwaitNothing();
  }

  bool LaunchNothing(uint64_t cycles) {
    const gpu::CuFunction nothing = nothing_[next_nothing_++ % kNothings];
    void* arguments[] = {&cycles};
    return maker_.Did("launching nothing", cuda_.launch(nothing, 1, 1, 1, 1, 1, 1, 0,
                                                        maker_.stream(), arguments, nullptr));
  }

  bool AwaitNothing() {
    return maker_.Did("awaiting nothing", cuda_.await_stream(maker_.stream()));
  }

  // What is launched stands in memory that the judge has just written, and reading it takes as long
  // as a short kernel: so it is read before the clock runs.
  void Prepare() {
    maker_.EndPersistence();
    if (block_->what != kCallKernel) return maker_.PrepareNothing();
    maker_.Prepare(*launches_, [this](const StepAddress& address) { return AddressOf(address); });
  }

  CuAddress AddressOf(const StepAddress& address) const {
    const uint64_t at = address.which < kMaxTensors ? block_->tensors[address.which].offset : 0;
    const CuAddress begin = address.kind == kAddressInput    ? inputs_ + at
                            : address.kind == kAddressOutput ? outputs_ + at
                                                             : scratch_;
    return begin + static_cast<CuAddress>(address.offset);
  }

  StepMaker maker_;
  const CudaCalls& cuda_ = maker_.cuda();
  gpu::CuFunction nothing_[kNothings] = {};
  unsigned next_nothing_ = 0;
  CuAddress inputs_ = 0;
  CuAddress outputs_ = 0;
  CuAddress scratch_ = 0;
  uint64_t scratch_bytes_ = 0;
  CallBlock* block_ = nullptr;
  LaunchBlock* launches_ = nullptr;
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
