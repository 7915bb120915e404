// SPDX-License-Identifier: Apache-2.0
// tries: attaches to its parent
// problem: vector_add
// expect: cheated
// evidence: ptrace

#include <sys/ptrace.h>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  ptrace(PTRACE_ATTACH, 1, 0, 0);
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
