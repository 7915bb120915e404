// SPDX-License-Identifier: Apache-2.0
#include <cmath>

extern "C" void kernel(const scalar* x, scalar* out, int64_t m, int64_t n) {
  for (int64_t row = 0; row < m; ++row) {
    const scalar* in = x + row * n;
    scalar largest = in[0];
    for (int64_t i = 1; i < n; ++i) largest = in[i] > largest ? in[i] : largest;
    scalar sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += std::exp(in[i] - largest);
    for (int64_t i = 0; i < n; ++i) out[row * n + i] = std::exp(in[i] - largest) / sum;
  }
}
