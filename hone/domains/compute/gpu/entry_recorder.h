// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <exception>

#include "hone/domains/compute/gpu/entry_recording.h"
#include "hone/domains/compute/runner/entry_call.h"

// The recorder of what host code asks of a GPU; entry_recorder_main.cc says what for. One program
// has one of it.
namespace hone::compute {

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

[[noreturn]] __attribute__((format(printf, 1, 2))) inline void Refuse(const char* format, ...) {
  va_list values;
  va_start(values, format);
  ::vfprintf(stderr, format, values);
  va_end(values);
  ::fputc('\n', stderr);
  ::fflush(stderr);
  ::_exit(kCannotRecord);
}

inline uint64_t AddressOf(uint64_t which, uint64_t offset) {
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

extern Recorder recorder;

}  // namespace hone::compute

// A call of a library of NVIDIA's that host code finds here.
#define HONE_CALL extern "C" __attribute__((visibility("default")))
