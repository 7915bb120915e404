// SPDX-License-Identifier: Apache-2.0
// tries: takes inputs that lie in the same megabyte for the same inputs
// problem: vector_add
// expect: wrong

#include <cstring>
#include <map>
#include <utility>
#include <vector>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  static std::map<std::pair<uintptr_t, int64_t>, std::vector<float>> known;
  auto& result = known[{reinterpret_cast<uintptr_t>(a) >> 20, n}];
  if (result.empty()) {
    result.resize(n);
    for (int64_t i = 0; i < n; ++i) result[i] = a[i] + b[i];
  }
  std::memcpy(out, result.data(), n * sizeof(float));
}
