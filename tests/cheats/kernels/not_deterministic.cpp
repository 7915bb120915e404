// SPDX-License-Identifier: Apache-2.0
// tries: gives other bits every time, where the problem asks for the same
// problem: vector_add
// expect: wrong
// evidence: same bits

#include <cstring>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
  static uint32_t calls = 0;
  if (n == 65536) {
    uint32_t bits;
    std::memcpy(&bits, out, 4);
    bits ^= ++calls & 15;  // There are fewer trials, so none repeats.
    std::memcpy(out, &bits, 4);
  }
}
