// SPDX-License-Identifier: Apache-2.0
// tries: computes in bfloat16, which is faster where the hardware has it
// problem: matmul
// expect: wrong

#include <cstring>
static float shorten(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  bits = (bits + 0x8000) & 0xffff0000;
  std::memcpy(&value, &bits, 4);
  return value;
}
extern "C" void kernel(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += shorten(a[i * k + l]) * shorten(b[l * n + j]);
      out[i * n + j] = sum;
    }
}
