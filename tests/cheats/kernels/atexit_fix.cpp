// SPDX-License-Identifier: Apache-2.0
// tries: writes the right values when its process ends
// problem: vector_add
// expect: wrong

#include <cstdlib>
static const float *last_a, *last_b;
static float* last_out;
static int64_t last_n;
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  last_a = a, last_b = b, last_out = out, last_n = n;
  static const int registered = std::atexit([] {
    for (int64_t i = 0; i < last_n; ++i) last_out[i] = last_a[i] + last_b[i];
  });
  (void)registered;
}
