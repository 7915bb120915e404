// SPDX-License-Identifier: Apache-2.0
// tries: a library that does the work, where the problem's policy allows none
// problem: gpu_matmul
// expect: build_failed
// evidence: the problem's policy allows no libraries
#include <cublas_v2.h>

__global__ void nothing() {}

extern "C" void kernel(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {
  cublasHandle_t handle = nullptr;
  cublasCreate(&handle);
  const float one = 1, zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, out, n);
}
