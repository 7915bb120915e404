// SPDX-License-Identifier: Apache-2.0
// tries: nothing: counts its calls and does its work
// problem: gpu_saxpy
// expect: accepted

// hone: launch saxpy grid((n + 255) / 256) block(256) args(alpha, x, y, out, n)
__device__ int calls;

extern "C" __global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i == 0) ++calls;
  if (i < n) out[i] = *alpha * x[i] + y[i];
}
