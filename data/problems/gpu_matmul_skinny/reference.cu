// SPDX-License-Identifier: Apache-2.0
// hone: launch matmul grid((n + 127) / 128, m) block(128) args(a, b, out, n, k)
extern "C" __global__ void matmul(const scalar* a, const scalar* b, scalar* out, int64_t n,
                                  int64_t k) {
  const int64_t row = blockIdx.y;
  const int64_t column = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= n) return;
  scalar sum = 0;
  for (int64_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  out[row * n + column] = sum;
}
