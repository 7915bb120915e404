// SPDX-License-Identifier: Apache-2.0
extern "C" void kernel(const scalar* a, const scalar* b, scalar* out, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = 0;
    for (int64_t l = 0; l < k; ++l) {
      for (int64_t j = 0; j < n; ++j) out[i * n + j] += a[i * k + l] * b[l * n + j];
    }
  }
}
