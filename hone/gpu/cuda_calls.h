// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <initializer_list>

// The binary interface of NVIDIA's driver, libcuda.so.1, as far as it is used here: opened at run
// time, so that the same program runs where there is none. Plain C types, because the runner in the
// sandbox has nothing else.
namespace hone::gpu {

using CuDevice = int;
using CuAddress = uint64_t;  // In the GPU's memory.
using CuHandle = uint64_t;   // Of memory that has no address yet.
using CuContext = struct CuContextRecord*;
using CuStream = struct CuStreamRecord*;
using CuEvent = struct CuEventRecord*;
using CuModule = struct CuModuleRecord*;
using CuFunction = struct CuFunctionRecord*;

constexpr int kCuSuccess = 0;
constexpr int kCuInvalidValue = 1;
constexpr int kCuOutOfMemory = 2;

// CUdevice_attribute.
constexpr int kCuClockKhz = 13;
constexpr int kCuMultiprocessors = 16;
constexpr int kCuL2Bytes = 38;
constexpr int kCuThreadsOfMultiprocessor = 39;
constexpr int kCuMajor = 75;
constexpr int kCuMinor = 76;
constexpr int kCuReachesHost = 88;  // Memory of the process that the driver was not told about.
constexpr int kCuSharesByDescriptor = 103;

constexpr unsigned kCuSpins = 1;        // CU_CTX_SCHED_SPIN
constexpr unsigned kCuOwnStream = 1;    // CU_STREAM_NON_BLOCKING
constexpr unsigned kCuWithoutTime = 2;  // CU_EVENT_DISABLE_TIMING
// CUfunction_attribute.
constexpr int kCuMaxThreadsOfBlock = 0;
constexpr int kCuStaticSharedBytes = 1;
constexpr int kCuLocalBytes = 3;
constexpr int kCuRegisters = 4;
constexpr int kCuMaxSharedMemory = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

constexpr int kCuByDescriptor = 1;     // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr int kCuOnDevice = 1;         // CU_MEM_LOCATION_TYPE_DEVICE
constexpr int kCuPinned = 1;           // CU_MEM_ALLOCATION_TYPE_PINNED
constexpr int kCuMayRead = 1;          // CU_MEM_ACCESS_FLAGS_PROT_READ
constexpr int kCuMayReadAndWrite = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
constexpr int kCuMinGranularity = 0;   // CU_MEM_ALLOC_GRANULARITY_MINIMUM

struct CuPlace {
  int type;
  int id;
};

struct CuAllocation {
  int type;
  int handle_types;
  CuPlace place;
  void* metadata;
  struct {
    unsigned char compression;
    unsigned char rdma;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
};
static_assert(sizeof(CuAllocation) == 32);

struct CuAccess {
  CuPlace place;
  int flags;
};
static_assert(sizeof(CuAccess) == 12);

// Every call returns kCuSuccess or the number of an error.
struct CudaCalls {
  int (*init)(unsigned flags);
  int (*error_name)(int error, const char** name);
  int (*device_count)(int* count);
  int (*device)(CuDevice* device, int ordinal);
  int (*device_name)(char* name, int bytes, CuDevice device);
  int (*device_uuid)(unsigned char uuid[16], CuDevice device);
  int (*device_memory)(size_t* bytes, CuDevice device);
  int (*device_attribute)(int* value, int attribute, CuDevice device);
  int (*make_context)(CuContext* context, unsigned flags, CuDevice device);
  int (*end_context)(CuContext context);
  int (*use_context)(CuContext context);
  int (*make_stream)(CuStream* stream, unsigned flags);
  int (*end_stream)(CuStream stream);
  int (*await_stream)(CuStream stream);
  int (*load_module)(CuModule* module, const void* image);
  int (*find_function)(CuFunction* function, CuModule module, const char* name);
  int (*set_function)(CuFunction function, int attribute, int value);
  int (*function_attribute)(int* value, int attribute, CuFunction function);
  int (*blocks_at_once)(int* blocks, CuFunction function, int block_threads, size_t shared_bytes);
  int (*launch)(CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                CuStream stream, void** arguments, void** extra);
  int (*launch_together)(CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z,
                         unsigned shared_bytes, CuStream stream, void** arguments);
  int (*make_event)(CuEvent* event, unsigned flags);
  int (*record_event)(CuEvent event, CuStream stream);
  int (*stream_awaits)(CuStream stream, CuEvent event, unsigned flags);
  int (*granularity)(size_t* bytes, const CuAllocation* allocation, int which);
  int (*make_memory)(CuHandle* handle, size_t bytes, const CuAllocation* allocation,
                     unsigned long long flags);
  int (*release_memory)(CuHandle handle);
  int (*reserve)(CuAddress* address, size_t bytes, size_t alignment, CuAddress wanted,
                 unsigned long long flags);
  int (*give_back)(CuAddress address, size_t bytes);
  int (*map)(CuAddress address, size_t bytes, size_t offset, CuHandle handle,
             unsigned long long flags);
  int (*unmap)(CuAddress address, size_t bytes);
  int (*allow)(CuAddress address, size_t bytes, const CuAccess* access, size_t count);
  int (*export_memory)(void* descriptor, CuHandle handle, int type, unsigned long long flags);
  int (*import_memory)(CuHandle* handle, void* descriptor, int type);
  int (*allocate)(CuAddress* address, size_t bytes);
  int (*host_memory)(void** memory, size_t bytes, unsigned flags);
  int (*free_host_memory)(void* memory);
  int (*copy_to_device)(CuAddress to, const void* from, size_t bytes, CuStream stream);
  int (*copy_to_host)(void* to, CuAddress from, size_t bytes, CuStream stream);
  int (*copy_on_device)(CuAddress to, CuAddress from, size_t bytes, CuStream stream);
  int (*fill)(CuAddress at, unsigned char value, size_t bytes, CuStream stream);
  // What was to stay in the GPU's cache need not any more. Null where the driver has no such call
  // (before CUDA 11).
  int (*end_persistence)();
};

// A library of NVIDIA's by the first of its names: from the folder that $HONE_CUDA names, if it
// lies there, else as the loader finds it. Null if there is none. Never closed: its threads live as
// long as the process.
void* OpenNvidiaLibrary(std::initializer_list<const char*> names);

struct NamedCall {
  const char* name;
  void* place;  // Of a pointer to a function.
};

// Fills in all of them. Null, or the first name that the library does not have.
const char* FindCalls(void* library, std::initializer_list<NamedCall> calls);

// Opens the driver and fills in every call. Null if all went well, else what is missing: a library
// or the name of a call that it does not have and every driver should.
const char* LoadCudaCalls(CudaCalls& calls);

}  // namespace hone::gpu
