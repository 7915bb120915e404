// SPDX-License-Identifier: Apache-2.0
// tries: nothing: a loop over the grid
// problem: gpu_saxpy
// expect: accepted

// hone: launch saxpy grid(64) block(256) args(alpha, x, y, out, n)
extern "C" __global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t threads = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    out[i] = *alpha * x[i] + y[i];
  }
}
