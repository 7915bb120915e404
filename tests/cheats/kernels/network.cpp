// SPDX-License-Identifier: Apache-2.0
// tries: asks another machine for the solution
// problem: vector_add
// expect: cheated
// evidence: socket

#include <sys/socket.h>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  socket(2, 1, 0);
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
