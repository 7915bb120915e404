// SPDX-License-Identifier: Apache-2.0
#include <cmath>

extern "C" void kernel(const scalar* x, const scalar* gamma, const scalar* beta, scalar* out, int64_t m,
                       int64_t n) {
  const scalar count = static_cast<scalar>(n);
  for (int64_t row = 0; row < m; ++row) {
    const scalar* in = x + row * n;
    scalar mean = 0;
    for (int64_t i = 0; i < n; ++i) mean += in[i] / count;
    scalar variance = 0;
    for (int64_t i = 0; i < n; ++i) variance += (in[i] - mean) * (in[i] - mean) / count;
    const scalar scale = 1 / std::sqrt(variance + static_cast<scalar>(1e-5));
    for (int64_t i = 0; i < n; ++i) out[row * n + i] = (in[i] - mean) * scale * gamma[i] + beta[i];
  }
}
