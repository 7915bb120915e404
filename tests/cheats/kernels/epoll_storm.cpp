// SPDX-License-Identifier: Apache-2.0
// tries: leaves a timer behind that many epolls watch: its one interrupt calls all of them back
// problem: conv2d
// expect: accepted|cheated

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
enum { kTimers = 8, kEach = 3, kEpolls = 28, kFirst = 25'000, kStep = 14'000 };
static int timers[kTimers];
static bool is_made = false;

static void Make() {
  is_made = true;
  int watched[kTimers * kEach];
  for (int t = 0; t < kTimers; ++t) {
    timers[t] = timerfd_create(CLOCK_MONOTONIC, 0);
    for (int i = 0; i < kEach; ++i) watched[t * kEach + i] = i == 0 ? timers[t] : dup(timers[t]);
  }
  for (int e = 0; e < kEpolls; ++e) {
    const int epoll = epoll_create1(0);
    for (const int one : watched) {
      epoll_event event{};
      event.events = EPOLLIN;
      epoll_ctl(epoll, EPOLL_CTL_ADD, one, &event);
    }
  }
}

extern "C" void kernel(const scalar* image, const scalar* weight, scalar* out, int64_t h,
                       int64_t w) {
  if (!is_made) Make();
  for (int64_t y = 0; y < h; ++y) {
    for (int64_t x = 0; x < w; ++x) {
      scalar sum = 0;
      for (int64_t i = 0; i < 3; ++i) {
        for (int64_t j = 0; j < 3; ++j) sum += image[(y + i) * (w + 2) + x + j] * weight[i * 3 + j];
      }
      out[y * w + x] = sum;
    }
  }
  for (int t = 0; t < kTimers && timers[0] >= 0; ++t) {
    const itimerspec when{{0, 0}, {0, kFirst + t * kStep}};
    timerfd_settime(timers[t], 0, &when, nullptr);
  }
}
