// SPDX-License-Identifier: Apache-2.0
// What nvcc.cc lets a source see of CUDA's runtime (README.md).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <tuple>
#include <utility>

#define __global__ extern "C"
#define __device__
#define __host__

using cudaError_t = int;
constexpr cudaError_t cudaSuccess = 0;
using cudaStream_t = struct SimulatedStream*;
using cudaEvent_t = struct SimulatedEvent*;
enum cudaMemcpyKind {
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice
};
constexpr unsigned cudaStreamNonBlocking = 1;

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

// What this header's users ask for, with CUDA's numbers.
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor = 82,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106,
};

struct cudaDeviceProp {
  char name[256];
  int major, minor, multiProcessorCount, regsPerBlock, regsPerMultiprocessor, maxThreadsPerBlock,
      maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, warpSize, l2CacheSize,
      cooperativeLaunch;
  size_t sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
};

#ifdef SIMULATED_DEVICE
// The GPU's code never calls them, and must be loaded without them.
#define SIMULATED_CALL(...) \
  { return 0; }
#define SIMULATED_LINKAGE static inline
#else
#define SIMULATED_CALL(...) ;
#define SIMULATED_LINKAGE extern "C"
#endif

SIMULATED_LINKAGE int cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t)
    SIMULATED_CALL() SIMULATED_LINKAGE int cudaMalloc(void**, size_t)
        SIMULATED_CALL() SIMULATED_LINKAGE int cudaFree(void*) SIMULATED_CALL() SIMULATED_LINKAGE
    int cudaMemset(void*, int, size_t) SIMULATED_CALL() SIMULATED_LINKAGE
    int cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind) SIMULATED_CALL() SIMULATED_LINKAGE
    int cudaStreamCreate(cudaStream_t*) SIMULATED_CALL() SIMULATED_LINKAGE
    int cudaStreamCreateWithFlags(cudaStream_t*, unsigned) SIMULATED_CALL() SIMULATED_LINKAGE
    int cudaEventCreate(cudaEvent_t*) SIMULATED_CALL() SIMULATED_LINKAGE
    int cudaEventRecord(cudaEvent_t, cudaStream_t) SIMULATED_CALL() SIMULATED_LINKAGE
    int cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) SIMULATED_CALL() SIMULATED_LINKAGE
    int cudaDeviceSynchronize() SIMULATED_CALL() SIMULATED_LINKAGE
    int cudaDeviceGetAttribute(int*, cudaDeviceAttr, int) SIMULATED_CALL() SIMULATED_LINKAGE
    int cudaGetDeviceProperties(cudaDeviceProp*, int) SIMULATED_CALL() SIMULATED_LINKAGE
    int cudaGraphLaunch(void*, cudaStream_t) SIMULATED_CALL()

#ifndef SIMULATED_DEVICE
        extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*,
                                               void*, void*, void*, int*);
#endif
inline dim3 blockIdx, threadIdx, blockDim, gridDim;

struct SimulatedConfiguration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  SimulatedConfiguration(dim3 a, dim3 b, size_t c = 0, cudaStream_t d = nullptr)
      : grid(a), block(b), shared(c), stream(d) {}
};

template <typename... P, typename... A>
void SimulatedLaunch(void (*kernel)(P...), const SimulatedConfiguration& how, A... given) {
  std::tuple<P...> values(static_cast<P>(given)...);
  std::apply(
      [&](auto&... value) {
        void* arguments[] = {(void*)&value..., nullptr};
        cudaLaunchKernel(reinterpret_cast<const void*>(kernel), how.grid, how.block, arguments,
                         how.shared, how.stream);
      },
      values);
}

// What a cubin says about the parameters of a kernel.
struct SimulatedSaying {
  uint8_t form = 4;
  uint8_t name = 0x17;
  uint16_t value = 12;
  uint32_t index = 0;
  uint16_t ordinal = 0;
  uint16_t offset = 0;
  uint32_t bytes_and_more = 0;
};

template <size_t N>
struct SimulatedSayings {
  SimulatedSaying all[N];
};

template <typename... P>
constexpr SimulatedSayings<sizeof...(P)> SimulatedInfo(void (*)(P...)) {
  SimulatedSayings<sizeof...(P)> sayings{};
  const uint32_t bytes[] = {sizeof(P)...};
  for (size_t i = 0; i < sizeof...(P); ++i) {
    sayings.all[i].ordinal = static_cast<uint16_t>(i);
    sayings.all[i].bytes_and_more = bytes[i] << 18;
  }
  return sayings;
}
