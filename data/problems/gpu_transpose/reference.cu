// SPDX-License-Identifier: Apache-2.0
// hone: launch transpose grid((n + 31) / 32, (m + 7) / 8) block(32, 8) args(x, out, m, n)
extern "C" __global__ void transpose(const scalar* x, scalar* out, int64_t m, int64_t n) {
  const int64_t row = int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
  const int64_t column = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row < m && column < n) out[column * m + row] = x[row * n + column];
}
