// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/gpu/cuda_calls.h"

// The same as cuda_calls.h for cuBLAS: products of matrices, in the context of the thread.
namespace hone::gpu {

using CublasHandle = struct CublasRecord*;

// Every call returns 0 or the number of an error.
struct CublasCalls {
  int (*make)(CublasHandle* handle);
  int (*use_stream)(CublasHandle handle, CuStream stream);
  int (*multiply)(CublasHandle handle, int transpose_a, int transpose_b, int m, int n, int k,
                  const void* alpha, CuAddress a, int type_a, int lead_a, long long stride_a,
                  CuAddress b, int type_b, int lead_b, long long stride_b, const void* beta,
                  CuAddress c, int type_c, int lead_c, long long stride_c, int count, int compute,
                  int algorithm);
};

// Null if all went well, else what is missing.
const char* LoadCublasCalls(CublasCalls& calls);

}  // namespace hone::gpu
