// SPDX-License-Identifier: Apache-2.0
// tries: returns what it computed for this shape before
// problem: vector_add
// expect: wrong

#include <cstring>
#include <map>
#include <vector>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  static std::map<int64_t, std::vector<float>> known;
  auto& result = known[n];
  if (result.empty()) {
    result.resize(n);
    for (int64_t i = 0; i < n; ++i) result[i] = a[i] + b[i];
  }
  std::memcpy(out, result.data(), n * sizeof(float));
}
