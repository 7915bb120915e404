// SPDX-License-Identifier: Apache-2.0
// tries: writes a recording of its own, which is none, and leaves
// problem: gpu_saxpy
// expect: build_failed

#include <stdio.h>
#include <unistd.h>
__global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = *alpha * x[i] + y[i];
}

extern "C" void kernel(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  FILE* file = fopen("recording", "wb");
  for (int i = 0; i < 6000; ++i) fputc(i * 7, file);
  fclose(file);
  _exit(0);
}
