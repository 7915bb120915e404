// SPDX-License-Identifier: Apache-2.0
// hone: launch gelu grid((n + 255) / 256) block(256) args(x, out, n)
extern "C" __global__ void gelu(const scalar* x, scalar* out, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const scalar root_of_half = 0.70710678118654752440;
  out[i] = x[i] / 2 * (1 + erf(x[i] * root_of_half));
}
