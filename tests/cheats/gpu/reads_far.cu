// SPDX-License-Identifier: Apache-2.0
// tries: reads where nothing is
// problem: gpu_saxpy
// expect: crashed
// evidence: ILLEGAL_ADDRESS

// hone: launch saxpy grid((n + 255) / 256) block(256) args(alpha, x, y, out, n)
extern "C" __global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i + (int64_t{1} << 40)];
}
