// SPDX-License-Identifier: Apache-2.0
// tries: computes once for what its inputs begin with
// problem: gpu_saxpy
// expect: accepted|wrong

// hone: launch saxpy grid((n + 255) / 256) block(256) args(alpha, x, y, out, n)
__device__ float known;

extern "C" __global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && known == x[0] * n) return;
  if (i < n) out[i] = *alpha * x[i] + y[i];
  if (i == n - 1) known = x[0] * n;
}
