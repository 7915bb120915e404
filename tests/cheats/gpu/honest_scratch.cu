// SPDX-License-Identifier: Apache-2.0
// tries: nothing: two kernels with memory between them
// problem: gpu_saxpy
// expect: accepted

// hone: scratch product bytes(4 * n)
// hone: launch multiply grid((n + 255) / 256) block(256) args(alpha, x, product, n)
// hone: launch add grid((n + 255) / 256) block(256) args(product, y, out, n)
extern "C" __global__ void multiply(const float* alpha, const float* x, float* product, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) product[i] = *alpha * x[i];
}

extern "C" __global__ void add(const float* product, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = product[i] + y[i];
}
