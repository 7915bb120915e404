// SPDX-License-Identifier: Apache-2.0
// tries: nothing: it reads the clock and has a function of its own called now
// problem: vector_add
// expect: accepted

#include <chrono>
static long now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  volatile long began = now();
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
  (void)began;
}
