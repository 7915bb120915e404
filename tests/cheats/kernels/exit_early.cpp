// SPDX-License-Identifier: Apache-2.0
// tries: ends its process, in the hope that what was not checked passes
// problem: vector_add
// expect: crashed
// evidence: ended with status 0

#include <unistd.h>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  static int calls = 0;
  if (++calls == 3) _exit(0);
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
