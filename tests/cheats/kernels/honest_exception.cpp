// SPDX-License-Identifier: Apache-2.0
// tries: nothing: an exception of its own is caught inside, and the other way taken
// problem: vector_add
// expect: accepted

#include <stdexcept>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  try {
    if (n > 0) throw std::runtime_error("not aligned");
  } catch (const std::exception&) {
    for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
  }
}
