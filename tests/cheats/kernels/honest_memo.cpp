// SPDX-License-Identifier: Apache-2.0
// tries: to remember results by the whole content of their inputs: right, and of no use
// problem: vector_add
// expect: accepted

#include <cstring>
#include <vector>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  static std::vector<float> last_a, last_b, last_out;
  const bool is_same = last_a.size() == static_cast<size_t>(n) &&
                       std::memcmp(last_a.data(), a, n * sizeof(float)) == 0 &&
                       std::memcmp(last_b.data(), b, n * sizeof(float)) == 0;
  if (!is_same) {
    last_a.assign(a, a + n);
    last_b.assign(b, b + n);
    last_out.resize(n);
    for (int64_t i = 0; i < n; ++i) last_out[i] = a[i] + b[i];
  }
  std::memcpy(out, last_out.data(), n * sizeof(float));
}
