// SPDX-License-Identifier: Apache-2.0
// entry_recorder LIBRARY ENTRY TASK RECORDING: calls a candidate's host code once, for one shape,
// and records what it asks of the GPU. There is no GPU: the calls of CUDA's runtime that host code
// may make are defined here, arrays are addresses that point nowhere, and nothing is computed. What
// is recorded is made again by our own runner (launch_block.h), as often as it is timed; host code
// is never near a GPU, so there is nothing that it could begin early, leave behind or forge.
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <exception>

#include "hone/domains/compute/gpu/entry_recording.h"
#include "hone/domains/compute/runner/entry_call.h"

namespace hone::compute {
namespace {

// An address: a tag, which of the arrays, and how far behind its beginning, which lies so that it
// is a multiple of 64, as real ones are, and of no more.
constexpr uint64_t kTag = 0x6b3c7;
constexpr int kTagFromBit = 44;
constexpr int kWhichFromBit = 37;
constexpr uint64_t kWhichMask = 127;
constexpr uint64_t kOffsetMask = (uint64_t{1} << kWhichFromBit) - 1;
constexpr uint64_t kBeginning = (uint64_t{1} << 36) + 64;
constexpr uint64_t kScratchNumber = 127;
constexpr uint64_t kScratchAlignment = 256;
constexpr uint64_t kMaxScratchBytes = uint64_t{1} << 35;
constexpr int kMaxAttributes = 256;
constexpr uintptr_t kStreamHandles = 0x5100;
constexpr uintptr_t kMarkHandles = 0x5200;
constexpr uintptr_t kProductHandles = 0x5300;
constexpr uint32_t kMaxProductHandles = 16;

struct Kernel {
  char name[kMaxFunctionName];
  const void* stub;  // What host code calls it by.
  uint32_t parameters;
  uint32_t bytes[kMaxArguments];
};

struct Extent {
  unsigned x, y, z;
};

struct Configuration {
  Extent grid, block;
  size_t shared_bytes;
  void* stream;
};

[[noreturn]] __attribute__((format(printf, 1, 2))) void Refuse(const char* format, ...) {
  va_list values;
  va_start(values, format);
  ::vfprintf(stderr, format, values);
  va_end(values);
  ::fputc('\n', stderr);
  ::fflush(stderr);
  ::_exit(kCannotRecord);
}

uint64_t AddressOf(uint64_t which, uint64_t offset) {
  return kTag << kTagFromBit | which << kWhichFromBit | (kBeginning + offset);
}

class Recorder {
 public:
  void ReadTask(const char* path) {
    FILE* const file = ::fopen(path, "r");
    if (file == nullptr) Refuse("the task cannot be read");
    static char line[kMaxFunctionName + kMaxArguments * 12];
    while (::fgets(line, sizeof(line), file) != nullptr) ReadLine(line);
    ::fclose(file);
  }

  void Record(void* entry) {
    uintptr_t parameters[kMaxParameters] = {};
    uint32_t count = 0;
    if (inputs_ + outputs_ + sizes_ > kMaxParameters) Refuse("too many arrays and sizes");
    for (uint32_t i = 0; i < inputs_ + outputs_; ++i) parameters[count++] = AddressOf(i, 0);
    for (uint32_t i = 0; i < sizes_; ++i) parameters[count++] = static_cast<uintptr_t>(size_[i]);
    try {
      CallEntry(entry, parameters, count);
    } catch (const std::exception& problem) {
      Refuse("it threw an exception: %s", problem.what());
    } catch (...) {
      Refuse("it threw an exception that is not a std::exception");
    }
  }

  void Write(const char* path) {
    while (steps_ > 0 && step_[steps_ - 1].kind == kStepJoin) --steps_;  // The end is one anyway.
    if (steps_ == 0) Refuse("it launches nothing");
    const RecordingHeader header{kRecordingMagic, steps_, streams_, marks_, scratch_};
    FILE* const file = ::fopen(path, "wb");
    if (file == nullptr || ::fwrite(&header, sizeof(header), 1, file) != 1 ||
        ::fwrite(step_, sizeof(Step), steps_, file) != steps_ || ::fclose(file) != 0) {
      Refuse("the recording cannot be written");
    }
  }

  void Register(const void* stub, const char* name) {
    for (uint32_t i = 0; i < kernels_; ++i) {
      if (::strcmp(kernel_[i].name, name) == 0) kernel_[i].stub = stub;
    }
  }

  Configuration configuration{};

  int Attribute(int number) const {
    if (number < 0 || number >= kMaxAttributes) Refuse("attribute %d is not known", number);
    return attribute_[number];
  }

  void Launch(const void* stub, const Configuration& how, void** arguments, bool is_cooperative) {
    const Kernel& kernel = KernelOf(stub);
    Step& step = Add(kStepLaunch, how.stream);
    step.function = static_cast<uint32_t>(&kernel - kernel_);
    const unsigned grid[3] = {how.grid.x, how.grid.y, how.grid.z};
    const unsigned block[3] = {how.block.x, how.block.y, how.block.z};
    ::memcpy(step.grid, grid, sizeof(grid));
    ::memcpy(step.block, block, sizeof(block));
    step.shared_bytes = static_cast<uint32_t>(how.shared_bytes);
    step.is_cooperative = is_cooperative ? 1 : 0;
    for (uint32_t i = 0; i < kernel.parameters; ++i) {
      AddArgument(kernel, step, arguments[i], kernel.bytes[i]);
    }
  }

  void Fill(const void* at, int value, size_t bytes, void* stream) {
    if (bytes == 0) return;
    Step& step = Add(kStepFill, stream);
    step.value = static_cast<uint32_t>(value) & 0xff;
    step.count = bytes;
    AddAddress(step, reinterpret_cast<uintptr_t>(at), 0, "cudaMemset");
  }

  void Copy(const void* to, const void* from, size_t bytes, void* stream) {
    if (bytes == 0) return;
    Step& step = Add(kStepCopy, stream);
    step.count = bytes;
    AddAddress(step, reinterpret_cast<uintptr_t>(to), 0, "cudaMemcpy");
    AddAddress(step, reinterpret_cast<uintptr_t>(from), sizeof(uint64_t), "cudaMemcpy");
  }

  // `alpha` and `beta` lie in the processor's memory, and are known now.
  void Multiply(void* handle, MatrixProduct product, const void* a, const void* b, void* c,
                const void* alpha, const void* beta, const char* call) {
    const ProductHandle& how = ProductHandleOf(handle);
    if (how.has_device_scalars) Refuse("%s: alpha and beta have to be the processor's", call);
    if (product.m == 0 || product.n == 0 || product.count == 0) return;
    const uint32_t scalar_bytes = ScalarBytes(product.compute, call);
    ::memcpy(product.alpha, alpha, scalar_bytes);
    ::memcpy(product.beta, beta, scalar_bytes);
    Step& step = Add(kStepMultiply, how.stream);
    const void* const matrices[] = {a, b, c};
    for (uint32_t i = 0; i < 3; ++i) {
      AddAddress(step, reinterpret_cast<uintptr_t>(matrices[i]), i * sizeof(uint64_t), call);
    }
    ::memcpy(step.bytes + kProductAt, &product, sizeof(product));
    step.count = kProductAt + sizeof(product);
  }

  struct ProductHandle {
    void* stream = nullptr;
    int math = 0;
    bool has_device_scalars = false;
  };

  void* MakeProductHandle() {
    if (!allows_libraries_) Refuse("it calls cuBLAS; the problem's policy allows no libraries");
    if (product_handles_ == kMaxProductHandles) {
      Refuse("it makes more than %u handles of cuBLAS", kMaxProductHandles);
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a number for it.
    return reinterpret_cast<void*>(kProductHandles + product_handles_++);
  }

  ProductHandle& ProductHandleOf(void* handle) {
    return product_handle_[NumberOf(handle, kProductHandles, product_handles_,
                                    "it uses a handle of cuBLAS")];
  }

  void* Allocate(size_t bytes) {
    if (bytes > kMaxScratchBytes - scratch_) Refuse("it allocates more than 32 GiB");
    const uint64_t at = scratch_;
    scratch_ += (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it points nowhere.
    return reinterpret_cast<void*>(AddressOf(kScratchNumber, at));
  }

  void* MakeStream(bool waits_for_default) {
    if (streams_ + 1 == kMaxStreams) Refuse("it makes more than %u streams", kMaxStreams - 1);
    stream_[++streams_].waits_for_default = waits_for_default;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a number for it.
    return reinterpret_cast<void*>(kStreamHandles + streams_);
  }

  void* MakeMark() {
    if (marks_ == kMaxMarks) Refuse("it makes more than %u events", kMaxMarks);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a number for it.
    return reinterpret_cast<void*>(kMarkHandles + marks_++);
  }

  void Mark(void* mark, void* stream) {
    const uint32_t number = MarkOf(mark);
    Step& step = Add(kStepMark, stream);
    step.which = number;
    marked_in_[number] = step.stream;
  }

  void Await(void* stream, void* mark) { Add(kStepAwait, stream).which = MarkOf(mark); }

  // The processor waits for a stream, or for all of them.
  void Join(void* stream, bool all) {
    NewStep(kStepJoin, StreamOf(stream)).which = all ? 0 : 1;
    if (all) ForgetOrder();
  }

  void JoinMark(void* mark) {
    const uint32_t stream = marked_in_[MarkOf(mark)];
    NewStep(kStepJoin, stream).which = 1;
  }

 private:
  struct Stream {
    bool waits_for_default = true;
    bool is_ahead = false;   // It has steps that the default stream has not waited for,
    bool is_behind = false;  // and the other way round.
  };

  void ReadLine(char* line) {
    char* rest = nullptr;
    const char* const verb = ::strtok_r(line, " \n", &rest);
    if (verb == nullptr) return;
    char* const first = ::strtok_r(nullptr, " \n", &rest);
    if (first == nullptr) Refuse("a task that is cut");
    if (::strcmp(verb, "kernel") == 0) {
      ReadKernel(first, rest);
    } else if (::strcmp(verb, "attribute") == 0) {
      const int number = ::atoi(first);
      const char* const value = ::strtok_r(nullptr, " \n", &rest);
      if (number >= 0 && number < kMaxAttributes && value != nullptr) {
        attribute_[number] = ::atoi(value);
      }
    } else if (::strcmp(verb, "inputs") == 0) {
      inputs_ = static_cast<uint32_t>(::atoi(first));
    } else if (::strcmp(verb, "libraries") == 0) {
      allows_libraries_ = ::atoi(first) != 0;
    } else if (::strcmp(verb, "outputs") == 0) {
      outputs_ = static_cast<uint32_t>(::atoi(first));
    } else if (::strcmp(verb, "size") == 0 && sizes_ < kMaxSizes) {
      size_[sizes_++] = ::atoll(first);
    }
  }

  void ReadKernel(const char* name, char* rest) {
    if (kernels_ == kMaxCubinKernels || ::strlen(name) >= kMaxFunctionName) {
      Refuse("more than %u kernels, or one whose name has more than %u characters",
             kMaxCubinKernels, kMaxFunctionName);
    }
    Kernel& kernel = kernel_[kernels_++];
    ::strcpy(kernel.name, name);
    for (char* word = ::strtok_r(nullptr, " \n", &rest); word != nullptr;
         word = ::strtok_r(nullptr, " \n", &rest)) {
      if (kernel.parameters == kMaxArguments) {
        Refuse("kernel %s has more than %u parameters", name, kMaxArguments);
      }
      kernel.bytes[kernel.parameters++] = static_cast<uint32_t>(::atoi(word));
    }
  }

  // Of alpha and beta.
  static uint32_t ScalarBytes(int compute, const char* call) {
    switch (compute) {
      case 64:  // CUBLAS_COMPUTE_16F, and strictly so.
      case 65:
        return 2;
      case 68:  // CUBLAS_COMPUTE_32F, strictly so, by bfloat16 and TF32,
      case 69:
      case 72:  // CUBLAS_COMPUTE_32I, strictly so,
      case 73:
      case 74:  // and by float16.
      case 75:
      case 77:
        return 4;
      case 70:  // CUBLAS_COMPUTE_64F, and strictly so.
      case 71:
        return 8;
      default:
        Refuse("%s: compute type %d is not known", call, compute);
    }
  }

  const Kernel& KernelOf(const void* stub) const {
    for (uint32_t i = 0; i < kernels_; ++i) {
      if (kernel_[i].stub == stub) return kernel_[i];
    }
    Refuse("it launches something that is no kernel of its source");
  }

  static uint32_t NumberOf(void* handle, uintptr_t first, uint32_t count, const char* what) {
    const auto number = reinterpret_cast<uintptr_t>(handle);
    if (number < first || number - first >= count) Refuse("%s that it did not make", what);
    return static_cast<uint32_t>(number - first);
  }

  uint32_t StreamOf(void* handle) const {
    constexpr uintptr_t kLastDefault = 2;  // cudaStreamLegacy is 1, cudaStreamPerThread 2.
    if (reinterpret_cast<uintptr_t>(handle) <= kLastDefault) return 0;
    return NumberOf(handle, kStreamHandles, streams_ + 1, "it uses a stream");
  }

  uint32_t MarkOf(void* handle) const {
    return NumberOf(handle, kMarkHandles, marks_, "it uses an event");
  }

  Step& NewStep(uint32_t kind, uint32_t stream) {
    if (steps_ == kMaxSteps) Refuse("it makes more than %u steps", kMaxSteps);
    Step& step = step_[steps_++];
    step = {};
    step.kind = kind;
    step.stream = stream;
    return step;
  }

  void Order(uint32_t before, uint32_t after) {
    MakeMark();
    NewStep(kStepMark, before).which = marks_ - 1;
    NewStep(kStepAwait, after).which = marks_ - 1;
  }

  void ForgetOrder() {
    for (Stream& stream : stream_) stream.is_ahead = stream.is_behind = false;
  }

  // The default stream waits for all others and they for it, unless they were made not to.
  Step& Add(uint32_t kind, void* handle) {
    const uint32_t number = StreamOf(handle);
    if (number != 0 && stream_[number].waits_for_default) {
      if (stream_[number].is_behind) Order(0, number);
      stream_[number].is_behind = false;
      stream_[number].is_ahead = true;
    }
    for (uint32_t i = 1; number == 0 && i <= streams_; ++i) {
      if (!stream_[i].waits_for_default) continue;
      if (stream_[i].is_ahead) Order(i, 0);
      stream_[i].is_ahead = false;
      stream_[i].is_behind = true;
    }
    return NewStep(kind, number);
  }

  // False if it is no address.
  static bool Find(uint64_t word, StepAddress& address) {
    if (word >> kTagFromBit != kTag) return false;
    const uint64_t which = word >> kWhichFromBit & kWhichMask;
    address.which = which == kScratchNumber ? 0 : static_cast<uint32_t>(which);
    address.kind = which == kScratchNumber ? kAddressScratch : kAddressInput;
    address.offset = static_cast<int64_t>(word & kOffsetMask) - static_cast<int64_t>(kBeginning);
    return true;
  }

  bool AddAddressIf(Step& step, uint64_t word, uint32_t at) {
    StepAddress address{};
    if (!Find(word, address)) return false;
    if (step.addresses == kMaxAddresses) {
      Refuse("a kernel is given more than %u addresses", kMaxAddresses);
    }
    if (address.kind == kAddressInput && address.which >= inputs_) address.kind = kAddressOutput;
    address.at = at;
    step.address[step.addresses++] = address;
    return true;
  }

  void AddAddress(Step& step, uint64_t word, uint32_t at, const char* call) {
    if (AddAddressIf(step, word, at)) return;
    Refuse(
        "%s of memory of the processor: host code is called once for each shape, without data; "
        "only arrays and memory of cudaMalloc can be copied",
        call);
  }

  void AddArgument(const Kernel& kernel, Step& step, const void* value, uint32_t bytes) {
    constexpr uint32_t kPlaces = 16;
    const auto at = static_cast<uint32_t>((step.count + kPlaces - 1) / kPlaces * kPlaces);
    if (at + bytes > kMaxArgumentBytes) {
      Refuse("the arguments of kernel %s take more than %u bytes", kernel.name, kMaxArgumentBytes);
    }
    ::memcpy(step.bytes + at, value, bytes);
    step.argument[step.arguments++] = at;
    step.count = at + bytes;
    for (uint32_t i = 0; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
      uint64_t word = 0;
      ::memcpy(&word, step.bytes + at + i, sizeof(word));
      AddAddressIf(step, word, at + i);
    }
  }

  Kernel kernel_[kMaxCubinKernels] = {};
  uint32_t kernels_ = 0;
  int attribute_[kMaxAttributes] = {};
  uint32_t inputs_ = 0;
  uint32_t outputs_ = 0;
  int64_t size_[kMaxSizes] = {};
  uint32_t sizes_ = 0;

  Stream stream_[kMaxStreams] = {};
  uint32_t streams_ = 0;
  uint32_t marked_in_[kMaxMarks] = {};
  uint32_t marks_ = 0;
  uint64_t scratch_ = 0;
  ProductHandle product_handle_[kMaxProductHandles] = {};
  uint32_t product_handles_ = 0;
  bool allows_libraries_ = false;
  Step step_[kMaxSteps] = {};
  uint32_t steps_ = 0;
};

Recorder recorder;

int Main(const char* library, const char* entry, const char* task, const char* recording) {
  recorder.ReadTask(task);
  void* const handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    Refuse("%s; what host code may call stands in docs/formats/gpu-kernel.md", ::dlerror());
  }
  void* const function = ::dlsym(handle, entry);
  if (function == nullptr) Refuse("it has no function extern \"C\" %s", entry);
  recorder.Record(function);
  recorder.Write(recording);
  ::_exit(0);
}

}  // namespace
}  // namespace hone::compute

// CUDA's runtime, as host code sees it. Every call succeeds, or ends the recording with a reason.
// NOLINTBEGIN(readability-identifier-naming): the names are NVIDIA's.
#define HONE_CALL extern "C" __attribute__((visibility("default")))

using hone::compute::Configuration;
using hone::compute::Extent;
using hone::compute::MatrixProduct;
using hone::compute::recorder;
using hone::compute::Refuse;

namespace {

constexpr int kSuccess = 0;
constexpr unsigned kDoesNotWait = 1;  // cudaStreamNonBlocking

int Copied(void* to, const void* from, size_t bytes, void* stream) {
  recorder.Copy(to, from, bytes, stream);
  return kSuccess;
}

int NewStream(void** stream, unsigned flags) {
  *stream = recorder.MakeStream((flags & kDoesNotWait) == 0);
  return kSuccess;
}

int NewMark(void** event) {
  *event = recorder.MakeMark();
  return kSuccess;
}

}  // namespace

HONE_CALL void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
HONE_CALL void __cudaRegisterFatBinaryEnd(void**) {}
HONE_CALL void __cudaUnregisterFatBinary(void**) {}
HONE_CALL char __cudaInitModule(void**) { return 1; }
HONE_CALL void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
HONE_CALL void __cudaRegisterFunction(void**, const char* stub, char*, const char* name, int, void*,
                                      void*, void*, void*, int*) {
  recorder.Register(stub, name);
}

HONE_CALL unsigned __cudaPushCallConfiguration(Extent grid, Extent block, size_t shared_bytes,
                                               void* stream) {
  recorder.configuration = {grid, block, shared_bytes, stream};
  return 0;
}
HONE_CALL int __cudaPopCallConfiguration(Extent* grid, Extent* block, size_t* shared_bytes,
                                         void* stream) {
  *grid = recorder.configuration.grid;
  *block = recorder.configuration.block;
  *shared_bytes = recorder.configuration.shared_bytes;
  *static_cast<void**>(stream) = recorder.configuration.stream;
  return kSuccess;
}

HONE_CALL int cudaLaunchKernel(const void* function, Extent grid, Extent block, void** arguments,
                               size_t shared_bytes, void* stream) {
  recorder.Launch(function, {grid, block, shared_bytes, stream}, arguments, false);
  return kSuccess;
}
HONE_CALL int cudaLaunchCooperativeKernel(const void* function, Extent grid, Extent block,
                                          void** arguments, size_t shared_bytes, void* stream) {
  recorder.Launch(function, {grid, block, shared_bytes, stream}, arguments, true);
  return kSuccess;
}
// CUDA 13 launches by a handle, which it asks for once.
HONE_CALL int __cudaGetKernel(const void** kernel, const void* function) {
  *kernel = function;
  return kSuccess;
}
HONE_CALL int __cudaLaunchKernel(const void* kernel, Extent grid, Extent block, void** arguments,
                                 size_t shared_bytes, void* stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}
HONE_CALL int cudaFuncSetAttribute(const void*, int, int) { return kSuccess; }
HONE_CALL int cudaFuncSetCacheConfig(const void*, int) { return kSuccess; }

HONE_CALL int cudaMalloc(void** memory, size_t bytes) {
  *memory = recorder.Allocate(bytes);
  return kSuccess;
}
HONE_CALL int cudaMallocAsync(void** memory, size_t bytes, void*) {
  return cudaMalloc(memory, bytes);
}
HONE_CALL int cudaFree(void*) { return kSuccess; }
HONE_CALL int cudaFreeAsync(void*, void*) { return kSuccess; }
HONE_CALL int cudaMemset(void* at, int value, size_t bytes) {
  recorder.Fill(at, value, bytes, nullptr);
  return kSuccess;
}
HONE_CALL int cudaMemsetAsync(void* at, int value, size_t bytes, void* stream) {
  recorder.Fill(at, value, bytes, stream);
  return kSuccess;
}
HONE_CALL int cudaMemcpy(void* to, const void* from, size_t bytes, int) {
  return Copied(to, from, bytes, nullptr);
}
HONE_CALL int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int, void* stream) {
  return Copied(to, from, bytes, stream);
}

HONE_CALL int cudaStreamCreate(void** stream) { return NewStream(stream, 0); }
HONE_CALL int cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  return NewStream(stream, flags);
}
HONE_CALL int cudaStreamCreateWithPriority(void** stream, unsigned flags, int) {
  return NewStream(stream, flags);
}
HONE_CALL int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return kSuccess;
}
HONE_CALL int cudaStreamDestroy(void*) { return kSuccess; }
HONE_CALL int cudaStreamSynchronize(void* stream) {
  recorder.Join(stream, false);
  return kSuccess;
}
HONE_CALL int cudaDeviceSynchronize() {
  recorder.Join(nullptr, true);
  return kSuccess;
}
HONE_CALL int cudaEventCreate(void** event) { return NewMark(event); }
HONE_CALL int cudaEventCreateWithFlags(void** event, unsigned) { return NewMark(event); }
HONE_CALL int cudaEventDestroy(void*) { return kSuccess; }
HONE_CALL int cudaEventRecord(void* event, void* stream) {
  recorder.Mark(event, stream);
  return kSuccess;
}
HONE_CALL int cudaEventSynchronize(void* event) {
  recorder.JoinMark(event);
  return kSuccess;
}
HONE_CALL int cudaStreamWaitEvent(void* stream, void* event, unsigned) {
  recorder.Await(stream, event);
  return kSuccess;
}

HONE_CALL int cudaGetDevice(int* device) {
  *device = 0;
  return kSuccess;
}
HONE_CALL int cudaGetDeviceCount(int* count) {
  *count = 1;
  return kSuccess;
}
HONE_CALL int cudaSetDevice(int device) {
  if (device != 0) Refuse("it asks for GPU %d: there is one, number 0", device);
  return kSuccess;
}
HONE_CALL int cudaDeviceGetAttribute(int* value, int attribute, int) {
  *value = recorder.Attribute(attribute);
  return kSuccess;
}
HONE_CALL int cudaGetLastError() { return kSuccess; }
HONE_CALL int cudaPeekAtLastError() { return kSuccess; }
HONE_CALL const char* cudaGetErrorString(int) { return "no error"; }
HONE_CALL const char* cudaGetErrorName(int) { return "cudaSuccess"; }

// cuBLAS's products of matrices, where the problem's policy allows libraries.
namespace {

constexpr int kFloat = 0;  // CUDA_R_32F, CUDA_R_64F, CUDA_R_16F
constexpr int kDouble = 1;
constexpr int kHalf = 2;
constexpr int kHalfCompute = 64;
constexpr int kFloatCompute = 68;
constexpr int kDoubleCompute = 70;
constexpr int kByUsual = -1;  // CUBLAS_GEMM_DEFAULT
constexpr int kPedanticMath = 2;
constexpr int kTf32Math = 3;

// What the mode of a handle makes of a product of floats.
int FloatCompute(void* handle) {
  constexpr int kStrictly = 69;
  constexpr int kByTf32 = 77;
  const int math = recorder.ProductHandleOf(handle).math;
  return math == kTf32Math ? kByTf32 : math == kPedanticMath ? kStrictly : kFloatCompute;
}

struct Matrix {
  const void* at;
  int lead;
  long long stride;
};

int Multiplied(const char* call, void* handle, int type, int compute, int transpose_a,
               int transpose_b, const int (&sizes)[3], const void* alpha, const Matrix& a,
               const Matrix& b, const void* beta, const Matrix& c, int count) {
  const MatrixProduct product{transpose_a, transpose_b, sizes[0], sizes[1], sizes[2],
                              type,        type,        type,     a.lead,   b.lead,
                              c.lead,      count,       compute,  kByUsual, a.stride,
                              b.stride,    c.stride,    {},       {}};
  recorder.Multiply(handle, product, a.at, b.at, const_cast<void*>(c.at), alpha, beta, call);
  return kSuccess;
}

}  // namespace

HONE_CALL int cublasCreate_v2(void** handle) {
  *handle = recorder.MakeProductHandle();
  return kSuccess;
}
HONE_CALL int cublasDestroy_v2(void*) { return kSuccess; }
HONE_CALL int cublasSetStream_v2(void* handle, void* stream) {
  recorder.ProductHandleOf(handle).stream = stream;
  return kSuccess;
}
HONE_CALL int cublasGetStream_v2(void* handle, void** stream) {
  *stream = recorder.ProductHandleOf(handle).stream;
  return kSuccess;
}
HONE_CALL int cublasSetMathMode(void* handle, int mode) {
  recorder.ProductHandleOf(handle).math = mode;
  return kSuccess;
}
HONE_CALL int cublasSetPointerMode_v2(void* handle, int mode) {
  recorder.ProductHandleOf(handle).has_device_scalars = mode != 0;
  return kSuccess;
}
HONE_CALL int cublasSetWorkspace_v2(void*, void*, size_t) { return kSuccess; }

#define HONE_PRODUCT(letter, type, number, compute)                                               \
  HONE_CALL int cublas##letter##gemm_v2(void* handle, int ta, int tb, int m, int n, int k,        \
                                        const type* alpha, const type* a, int lda, const type* b, \
                                        int ldb, const type* beta, type* c, int ldc) {            \
    return Multiplied("cublas" #letter "gemm", handle, number, compute, ta, tb, {m, n, k}, alpha, \
                      {a, lda, 0}, {b, ldb, 0}, beta, {c, ldc, 0}, 1);                            \
  }                                                                                               \
  HONE_CALL int cublas##letter##gemmStridedBatched(                                               \
      void* handle, int ta, int tb, int m, int n, int k, const type* alpha, const type* a,        \
      int lda, long long stride_a, const type* b, int ldb, long long stride_b, const type* beta,  \
      type* c, int ldc, long long stride_c, int count) {                                          \
    return Multiplied("cublas" #letter "gemmStridedBatched", handle, number, compute, ta, tb,     \
                      {m, n, k}, alpha, {a, lda, stride_a}, {b, ldb, stride_b}, beta,             \
                      {c, ldc, stride_c}, count);                                                 \
  }
HONE_PRODUCT(S, float, kFloat, FloatCompute(handle))
HONE_PRODUCT(D, double, kDouble, kDoubleCompute)
#undef HONE_PRODUCT
HONE_CALL int cublasHgemm(void* handle, int ta, int tb, int m, int n, int k, const void* alpha,
                          const void* a, int lda, const void* b, int ldb, const void* beta, void* c,
                          int ldc) {
  return Multiplied("cublasHgemm", handle, kHalf, kHalfCompute, ta, tb, {m, n, k}, alpha,
                    {a, lda, 0}, {b, ldb, 0}, beta, {c, ldc, 0}, 1);
}

HONE_CALL int cublasGemmStridedBatchedEx(void* handle, int ta, int tb, int m, int n, int k,
                                         const void* alpha, const void* a, int type_a, int lda,
                                         long long stride_a, const void* b, int type_b, int ldb,
                                         long long stride_b, const void* beta, void* c, int type_c,
                                         int ldc, long long stride_c, int count, int compute,
                                         int algorithm) {
  const MatrixProduct product{ta,       tb,       m,        n,   k,     type_a,  type_b,
                              type_c,   lda,      ldb,      ldc, count, compute, algorithm,
                              stride_a, stride_b, stride_c, {},  {}};
  recorder.Multiply(handle, product, a, b, c, alpha, beta, "cublasGemmStridedBatchedEx");
  return kSuccess;
}
HONE_CALL int cublasGemmEx(void* handle, int ta, int tb, int m, int n, int k, const void* alpha,
                           const void* a, int type_a, int lda, const void* b, int type_b, int ldb,
                           const void* beta, void* c, int type_c, int ldc, int compute,
                           int algorithm) {
  return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, a, type_a, lda, 0, b, type_b,
                                    ldb, 0, beta, c, type_c, ldc, 0, 1, compute, algorithm);
}
// NOLINTEND(readability-identifier-naming)

int main(int count, char** words) {
  if (count != 5) return 96;
  return hone::compute::Main(words[1], words[2], words[3], words[4]);
}
