// SPDX-License-Identifier: Apache-2.0
// hone: launch layernorm grid((m + 31) / 32) block(32) args(x, gain, bias, out, m, n)
extern "C" __global__ void layernorm(const scalar* x, const scalar* gain, const scalar* bias,
                                     scalar* out, int64_t m, int64_t n) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= m) return;
  const scalar* in = x + row * n;
  scalar mean = 0;
  for (int64_t i = 0; i < n; ++i) mean += in[i];
  mean /= scalar(n);
  scalar variance = 0;
  for (int64_t i = 0; i < n; ++i) variance += (in[i] - mean) * (in[i] - mean);
  variance /= scalar(n);
  const scalar deviation = sqrt(variance + scalar(1e-5));
  for (int64_t i = 0; i < n; ++i) {
    out[row * n + i] = (in[i] - mean) / deviation * gain[i] + bias[i];
  }
}
