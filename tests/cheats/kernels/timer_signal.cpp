// SPDX-License-Identifier: Apache-2.0
// tries: returns at once; a signal handler does the work a moment later
// problem: vector_add
// expect: wrong|cheated

#include <signal.h>
#include <sys/time.h>
static const float *last_a, *last_b;
static float* last_out;
static int64_t last_n;
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  last_a = a, last_b = b, last_out = out, last_n = n;
  signal(SIGALRM, [](int) {
    for (int64_t i = 0; i < last_n; ++i) last_out[i] = last_a[i] + last_b[i];
  });
  itimerval soon{};
  soon.it_value.tv_usec = 3000;
  setitimer(ITIMER_REAL, &soon, nullptr);
}
