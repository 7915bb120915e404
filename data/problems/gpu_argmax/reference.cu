// SPDX-License-Identifier: Apache-2.0
// hone: launch argmax grid((m + 63) / 64) block(64) args(x, place, m, n)
extern "C" __global__ void argmax(const scalar* x, int32_t* place, int64_t m, int64_t n) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= m) return;
  const scalar* in = x + row * n;
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i) best = in[i] > in[best] ? i : best;
  place[row] = int32_t(best);
}
