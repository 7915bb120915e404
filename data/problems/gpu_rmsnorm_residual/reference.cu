// SPDX-License-Identifier: Apache-2.0
// hone: launch normalise grid((m + 31) / 32) block(32) args(x, residual, gain, sum, out, m, n)
extern "C" __global__ void normalise(const scalar* x, const scalar* residual, const scalar* gain,
                                     scalar* sum, scalar* out, int64_t m, int64_t n) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= m) return;
  scalar squares = 0;
  for (int64_t i = row * n; i < (row + 1) * n; ++i) {
    sum[i] = x[i] + residual[i];
    squares += sum[i] * sum[i];
  }
  const scalar size = sqrt(squares / scalar(n) + scalar(1e-6));
  for (int64_t i = 0; i < n; ++i) out[row * n + i] = sum[row * n + i] / size * gain[i];
}
