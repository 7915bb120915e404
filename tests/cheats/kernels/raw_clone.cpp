// SPDX-License-Identifier: Apache-2.0
// tries: starts a process with a system call of its own, so that no symbol gives it away
// problem: vector_add
// expect: cheated
// evidence: more processes or threads

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  static bool has_tried = false;
  if (!has_tried) {
    has_tried = true;
    long child = 57;  // fork
    asm volatile("syscall" : "+a"(child) : : "rcx", "r11", "memory");
    if (child == 0)
      for (;;) asm volatile("pause");
  }
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
