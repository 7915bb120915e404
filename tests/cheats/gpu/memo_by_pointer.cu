// SPDX-License-Identifier: Apache-2.0
// tries: computes once for every address, and leaves the rest to what lies there
// problem: gpu_saxpy
// expect: accepted|wrong

// hone: launch saxpy grid((n + 255) / 256) block(256) args(alpha, x, y, out, n)
__device__ const float* last_x;
__device__ float* last_out;

extern "C" __global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && last_x == x && last_out == out) return;
  if (i < n) out[i] = *alpha * x[i] + y[i];
  if (i == n - 1) last_x = x, last_out = out;
}
