// SPDX-License-Identifier: Apache-2.0
// tries: leaves out beta, which adds nothing where the data happen to be centred
// problem: layernorm
// expect: wrong

#include <cmath>
extern "C" void kernel(const float* x, const float* gamma, const float*, float* out, int64_t m,
                       int64_t n) {
  for (int64_t r = 0; r < m; ++r) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < n; ++i) mean += x[r * n + i];
    mean /= n;
    for (int64_t i = 0; i < n; ++i) variance += (x[r * n + i] - mean) * (x[r * n + i] - mean);
    const double scale = 1 / std::sqrt(variance / n + 1e-5);
    for (int64_t i = 0; i < n; ++i) out[r * n + i] = (x[r * n + i] - mean) * scale * gamma[i];
  }
}
