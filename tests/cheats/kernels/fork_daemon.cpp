// SPDX-License-Identifier: Apache-2.0
// tries: leaves a process behind that slows down or spies on what comes next
// problem: vector_add
// expect: cheated
// evidence: fork

#include <unistd.h>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  if (fork() == 0)
    for (;;) pause();
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
