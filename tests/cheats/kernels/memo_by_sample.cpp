// SPDX-License-Identifier: Apache-2.0
// tries: recognises inputs by a coarse hash of one element
// problem: vector_add
// expect: wrong

#include <cstring>
#include <map>
#include <utility>
#include <vector>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  static std::map<std::pair<int, int64_t>, std::vector<float>> known;
  auto& result = known[{static_cast<int>(a[0] > 0), n}];
  if (result.empty()) {
    result.resize(n);
    for (int64_t i = 0; i < n; ++i) result[i] = a[i] + b[i];
  }
  std::memcpy(out, result.data(), n * sizeof(float));
}
