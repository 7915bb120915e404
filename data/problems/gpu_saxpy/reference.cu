// SPDX-License-Identifier: Apache-2.0
// hone: launch saxpy grid((n + 255) / 256) block(256) args(alpha, x, y, out, n)
extern "C" __global__ void saxpy(const scalar* alpha, const scalar* x, const scalar* y, scalar* out,
                                 int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = *alpha * x[i] + y[i];
}
