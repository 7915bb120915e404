// SPDX-License-Identifier: Apache-2.0
extern "C" void kernel(const scalar* in, scalar* out, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) out[j * m + i] = in[i * n + j];
  }
}
