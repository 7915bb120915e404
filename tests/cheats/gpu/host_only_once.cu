// SPDX-License-Identifier: Apache-2.0
// tries: launches in its first call and in no other
// problem: gpu_saxpy
// expect: accepted|wrong

__global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = *alpha * x[i] + y[i];
}

extern "C" void kernel(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  static bool was_called = false;
  if (!was_called) saxpy<<<(n + 255) / 256, 256>>>(alpha, x, y, out, n);
  was_called = true;
}
