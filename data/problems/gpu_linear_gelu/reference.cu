// SPDX-License-Identifier: Apache-2.0
// hone: launch linear_gelu grid((n + 15) / 16, (m + 15) / 16) block(16, 16) args(x, weight, bias, out, m, n, k)
extern "C" __global__ void linear_gelu(const scalar* x, const scalar* weight, const scalar* bias,
                                       scalar* out, int64_t m, int64_t n, int64_t k) {
  const int64_t row = int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
  const int64_t column = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  scalar sum = bias[column];
  for (int64_t i = 0; i < k; ++i) sum += x[row * k + i] * weight[column * k + i];
  const scalar root_of_half = 0.70710678118654752440;
  out[row * n + column] = sum / 2 * (1 + erf(sum * root_of_half));
}
