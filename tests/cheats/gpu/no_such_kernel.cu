// SPDX-License-Identifier: Apache-2.0
// tries: launches what it does not define
// problem: gpu_saxpy
// expect: build_failed|crashed

// hone: launch other grid(1) block(1)
extern "C" __global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = *alpha * x[i] + y[i];
}
