// SPDX-License-Identifier: Apache-2.0
// tries: asks for more threads than a block has
// problem: gpu_saxpy
// expect: crashed|build_failed
// evidence: 1024

// hone: launch saxpy grid(1) block(2048) args(alpha, x, y, out, n)
extern "C" __global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = *alpha * x[i] + y[i];
}
