// SPDX-License-Identifier: Apache-2.0
// tries: jumps back into an earlier call, which returns in its place without any work
// problem: vector_add
// expect: wrong|cheated|crashed|timed_out

#include <setjmp.h>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  static jmp_buf first;
  static int calls = 0;
  if (++calls > 3) longjmp(first, 1);
  if (setjmp(first) != 0) return;
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
