// SPDX-License-Identifier: Apache-2.0
// tries: never returns
// problem: gpu_saxpy
// expect: timed_out
// evidence: a call may take

// hone: launch saxpy grid((n + 255) / 256) block(256) args(alpha, x, y, out, n)
extern "C" __global__ void saxpy(const float* alpha, const float* x, const float* y, float* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (;;) reinterpret_cast<volatile float*>(out)[0] = 1;
}
