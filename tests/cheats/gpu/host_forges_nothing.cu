// SPDX-License-Identifier: Apache-2.0
// tries: writes a recording of its own, in which nothing is done, and leaves
// problem: gpu_saxpy
// expect: wrong

#include <stdio.h>
#include <unistd.h>
__global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = *alpha * x[i] + y[i];
}

extern "C" void kernel(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  // A header that says one step, and a step that waits.
  const unsigned header[6] = {0x48524543u, 1, 0, 0, 0, 0};
  static const unsigned step[5072 / 4] = {5};
  FILE* file = fopen("recording", "wb");
  fwrite(header, sizeof header, 1, file);
  fwrite(step, sizeof step, 1, file);
  fclose(file);
  _exit(0);
}
