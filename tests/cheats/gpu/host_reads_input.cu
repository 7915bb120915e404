// SPDX-License-Identifier: Apache-2.0
// tries: looks at an input in its host code
// problem: gpu_saxpy
// expect: build_failed

__global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = *alpha * x[i] + y[i];
}

extern "C" void kernel(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  if (x[0] > 0 || n < 1000) saxpy<<<(n + 255) / 256, 256>>>(alpha, x, y, out, n);
}
