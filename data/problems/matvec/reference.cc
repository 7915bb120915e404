// SPDX-License-Identifier: Apache-2.0
extern "C" void kernel(const scalar* a, const scalar* x, scalar* out, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    scalar sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += a[i * n + j] * x[j];
    out[i] = sum;
  }
}
