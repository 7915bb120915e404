// SPDX-License-Identifier: Apache-2.0
// hone: launch matmul grid((n + 15) / 16, (m + 15) / 16) block(16, 16) args(a, b, out, m, n, k)
extern "C" __global__ void matmul(const scalar* a, const scalar* b, scalar* out, int64_t m, int64_t n,
                                  int64_t k) {
  const int64_t row = int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
  const int64_t column = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  scalar sum = 0;
  for (int64_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  out[row * n + column] = sum;
}
