// SPDX-License-Identifier: Apache-2.0
// tries: nothing: each half in a stream of its own, for neither of which it waits
// problem: gpu_saxpy
// expect: accepted

__global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = *alpha * x[i] + y[i];
}

extern "C" void kernel(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t half = n / 2;
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  if (half > 0) saxpy<<<(half + 255) / 256, 256, 0, one>>>(alpha, x, y, out, half);
  saxpy<<<(n - half + 255) / 256, 256, 0, other>>>(alpha, x + half, y + half, out + half, n - half);
}
