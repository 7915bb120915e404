// SPDX-License-Identifier: Apache-2.0
// tries: leaves timers behind whose signals are blocked: their interrupts take the reference's time
// tries: and nobody's processor time
// problem: matmul
// expect: accepted|cheated

#include <signal.h>
#include <time.h>
enum { kMost = 60, kFirst = 30'000, kStep = 5'000 };
static timer_t timers[kMost];
static int made = -1;

static void Make() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 4);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN + 4;
  made = 0;
  while (made < kMost && timer_create(CLOCK_MONOTONIC, &event, &timers[made]) == 0) ++made;
}

extern "C" void kernel(const scalar* a, const scalar* b, scalar* out, int64_t m, int64_t n,
                       int64_t k) {
  if (made < 0) Make();
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = 0;
    for (int64_t l = 0; l < k; ++l) {
      for (int64_t j = 0; j < n; ++j) out[i * n + j] += a[i * k + l] * b[l * n + j];
    }
  }
  for (int i = 0; i < made; ++i) {
    const itimerspec when{{0, 0}, {0, kFirst + i * kStep}};
    timer_settime(timers[i], 0, &when, nullptr);
  }
}
