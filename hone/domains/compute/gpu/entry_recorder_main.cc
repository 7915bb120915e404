// SPDX-License-Identifier: Apache-2.0
// entry_recorder LIBRARY ENTRY TASK RECORDING: calls a candidate's host code once, for one shape,
// and records what it asks of the GPU. There is no GPU: the calls of CUDA's runtime that host code
// may make are defined here, arrays are addresses that point nowhere, and nothing is computed. What
// is recorded is made again by our own runner (launch_block.h), as often as it is timed; host code
// is never near a GPU, so there is nothing that it could begin early, leave behind or forge.
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

#include "hone/domains/compute/gpu/entry_recorder.h"
namespace hone::compute {

Recorder recorder;

namespace {

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
using hone::compute::Configuration;
using hone::compute::Extent;
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

// NOLINTEND(readability-identifier-naming)

int main(int count, char** words) {
  if (count != 5) return 96;
  return hone::compute::Main(words[1], words[2], words[3], words[4]);
}
