// SPDX-License-Identifier: Apache-2.0
// tries: nothing: blocks of rows, and sums in another order than the reference
// problem: matmul
// expect: accepted

extern "C" void kernel(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sums[8] = {};
      int64_t l = 0;
      for (; l + 8 <= k; l += 8)
        for (int64_t p = 0; p < 8; ++p) sums[p] += a[i * k + l + p] * b[(l + p) * n + j];
      float sum = 0;
      for (; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      for (float part : sums) sum += part;
      out[i * n + j] = sum;
    }
  }
}
