// SPDX-License-Identifier: Apache-2.0
// hone: launch softmax grid((m + 63) / 64) block(64) args(x, out, m, n)
extern "C" __global__ void softmax(const scalar* x, scalar* out, int64_t m, int64_t n) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= m) return;
  const scalar* in = x + row * n;
  scalar largest = in[0];
  for (int64_t i = 1; i < n; ++i) largest = in[i] > largest ? in[i] : largest;
  scalar sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += exp(in[i] - largest);
  for (int64_t i = 0; i < n; ++i) out[row * n + i] = exp(in[i] - largest) / sum;
}
