// SPDX-License-Identifier: Apache-2.0
// tries: nothing: it works in a buffer of its own that it keeps between calls
// problem: vector_add
// expect: accepted

#include <cstring>
#include <vector>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  static std::vector<float> scratch;
  scratch.assign(a, a + n);
  for (int64_t i = 0; i < n; ++i) scratch[i] += b[i];
  std::memcpy(out, scratch.data(), n * sizeof(float));
}
