// SPDX-License-Identifier: Apache-2.0
#include "hone/gpu/cuda_calls.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

namespace hone::gpu {
namespace {

constexpr const char* kCudaLibrary = "libcuda.so.1";

}  // namespace

void* OpenNvidiaLibrary(std::initializer_list<const char*> names) {
  void* library = nullptr;
  if (const char* folder = ::getenv("HONE_CUDA"); folder != nullptr) {
    for (const char* name : names) {
      char path[4096];
      ::snprintf(path, sizeof(path), "%s/%s", folder, name);
      if (library == nullptr) library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
  }
  for (const char* name : names) {
    if (library == nullptr) library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  return library;
}

const char* FindCalls(void* library, std::initializer_list<NamedCall> calls) {
  for (const NamedCall& call : calls) {
    void* const found = ::dlsym(library, call.name);
    if (found == nullptr) return call.name;
    *static_cast<void**>(call.place) = found;
  }
  return nullptr;
}

const char* LoadCudaCalls(CudaCalls& calls) {
  void* const library = OpenNvidiaLibrary({kCudaLibrary});
  if (library == nullptr) return kCudaLibrary;
  static_cast<void>(FindCalls(library, {{"cuCtxResetPersistingL2Cache", &calls.end_persistence}}));
  const char* const missing =
      FindCalls(library, {{"cuFuncGetAttribute", &calls.function_attribute},
                          {"cuOccupancyMaxActiveBlocksPerMultiprocessor", &calls.blocks_at_once}});
  if (missing != nullptr) return missing;
  return FindCalls(library, {
                                {"cuInit", &calls.init},
                                {"cuGetErrorName", &calls.error_name},
                                {"cuDeviceGetCount", &calls.device_count},
                                {"cuDeviceGet", &calls.device},
                                {"cuDeviceGetName", &calls.device_name},
                                {"cuDeviceGetUuid", &calls.device_uuid},
                                {"cuDeviceTotalMem_v2", &calls.device_memory},
                                {"cuDeviceGetAttribute", &calls.device_attribute},
                                {"cuCtxCreate_v2", &calls.make_context},
                                {"cuCtxDestroy_v2", &calls.end_context},
                                {"cuCtxSetCurrent", &calls.use_context},
                                {"cuStreamCreate", &calls.make_stream},
                                {"cuStreamDestroy_v2", &calls.end_stream},
                                {"cuStreamSynchronize", &calls.await_stream},
                                {"cuModuleLoadData", &calls.load_module},
                                {"cuModuleGetFunction", &calls.find_function},
                                {"cuFuncSetAttribute", &calls.set_function},
                                {"cuLaunchKernel", &calls.launch},
                                {"cuLaunchCooperativeKernel", &calls.launch_together},
                                {"cuEventCreate", &calls.make_event},
                                {"cuEventRecord", &calls.record_event},
                                {"cuStreamWaitEvent", &calls.stream_awaits},
                                {"cuMemGetAllocationGranularity", &calls.granularity},
                                {"cuMemCreate", &calls.make_memory},
                                {"cuMemRelease", &calls.release_memory},
                                {"cuMemAddressReserve", &calls.reserve},
                                {"cuMemAddressFree", &calls.give_back},
                                {"cuMemMap", &calls.map},
                                {"cuMemUnmap", &calls.unmap},
                                {"cuMemSetAccess", &calls.allow},
                                {"cuMemExportToShareableHandle", &calls.export_memory},
                                {"cuMemImportFromShareableHandle", &calls.import_memory},
                                {"cuMemAlloc_v2", &calls.allocate},
                                {"cuMemHostAlloc", &calls.host_memory},
                                {"cuMemFreeHost", &calls.free_host_memory},
                                {"cuMemcpyHtoDAsync_v2", &calls.copy_to_device},
                                {"cuMemcpyDtoHAsync_v2", &calls.copy_to_host},
                                {"cuMemcpyDtoDAsync_v2", &calls.copy_on_device},
                                {"cuMemsetD8Async", &calls.fill},
                            });
}

}  // namespace hone::gpu
