// SPDX-License-Identifier: Apache-2.0
// tries: starts a process with a system call of its own, so that no symbol gives it away
// problem: vector_add
// tries: (it is refused, and so it is as fast as an honest one)
// expect: accepted|cheated

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  static bool has_tried = false;
  if (!has_tried) {
    has_tried = true;
#if defined(__x86_64__)
    long child = 57;  // fork
    asm volatile("syscall" : "+a"(child) : : "rcx", "r11", "memory");
#else
    register long child asm("x0") = 17;  // A process of its own whose end is told by SIGCHLD.
    register long stack asm("x1") = 0, parent asm("x2") = 0, tls asm("x3") = 0, own asm("x4") = 0;
    register long number asm("x8") = 220;  // clone
    asm volatile("svc 0"
                 : "+r"(child)
                 : "r"(number), "r"(stack), "r"(parent), "r"(tls), "r"(own)
                 : "memory");
#endif
    if (child == 0)
      for (;;) asm volatile("" ::: "memory");
  }
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
