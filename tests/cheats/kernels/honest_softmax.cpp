// SPDX-License-Identifier: Apache-2.0
// tries: nothing: one pass for the largest element and the sum together
// problem: softmax
// expect: accepted

#include <cmath>
extern "C" void kernel(const float* x, float* out, int64_t m, int64_t n) {
  for (int64_t r = 0; r < m; ++r) {
    const float* in = x + r * n;
    float largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (in[i] > largest) {
        sum *= std::exp(largest - in[i]);
        largest = in[i];
      }
      sum += std::exp(in[i] - largest);
    }
    for (int64_t i = 0; i < n; ++i) out[r * n + i] = std::exp(in[i] - largest) / sum;
  }
}
