// SPDX-License-Identifier: Apache-2.0
// tries: nothing: by way of memory of its own, which it fills first
// problem: gpu_saxpy
// expect: accepted

__global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = *alpha * x[i] + y[i];
}

extern "C" void kernel(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  float* own = nullptr;
  cudaMalloc((void**)&own, 4 * n);
  cudaMemset(own, 0, 4 * n);
  saxpy<<<(n + 255) / 256, 256>>>(alpha, x, y, own, n);
  cudaMemcpy(out, own, 4 * n, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  cudaFree(own);
}
