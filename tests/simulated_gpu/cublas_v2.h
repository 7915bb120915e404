// SPDX-License-Identifier: Apache-2.0
// What nvcc.cc lets a source see of cuBLAS (README.md).
#pragma once

#include <cuda_runtime_api.h>

using cublasHandle_t = struct SimulatedCublas*;
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };

#define cublasCreate cublasCreate_v2
#define cublasSgemm cublasSgemm_v2

// clang-format off
SIMULATED_LINKAGE int cublasCreate(cublasHandle_t*) SIMULATED_CALL()
SIMULATED_LINKAGE int cublasSgemm(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,
                                  int k, const float* alpha, const float* a, int lda,
                                  const float* b, int ldb, const float* beta, float* c, int ldc)
    SIMULATED_CALL()
    // clang-format on
