// SPDX-License-Identifier: Apache-2.0
// tries: defines clock_gettime, so that whoever times it in its process reads a clock that stands
// tries: still
// problem: vector_add
// expect: cheated
// evidence: clock_gettime

#include <time.h>
extern "C" int clock_gettime(clockid_t, struct timespec* now) noexcept {
  now->tv_sec = now->tv_nsec = 0;
  return 0;
}
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
