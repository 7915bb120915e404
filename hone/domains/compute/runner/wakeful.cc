// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/wakeful.h"

#include <pthread.h>
#include <sched.h>

#include <stop_token>

#include "hone/domains/compute/runner/relax.h"

namespace hone::compute {
namespace {

constexpr int kSpins = 1000;

void Spin(const std::stop_token& stop, int cpu) {
  const sched_param none{};
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(cpu), &one);
  // Without both it would take the time of those whom it serves.
  if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0) return;
  if (::sched_setaffinity(0, sizeof(one), &one) != 0) return;
  while (!stop.stop_requested()) {
    for (int i = 0; i < kSpins; ++i) Relax();
  }
}

// So that it hears soon that it should end, however busy its processor is.
void Hurry(std::jthread& thread) {
  const sched_param first{1};
  const sched_param none{};
  if (::pthread_setschedparam(thread.native_handle(), SCHED_FIFO, &first) == 0) return;
  ::pthread_setschedparam(thread.native_handle(), SCHED_OTHER, &none);
}

}  // namespace

WakefulProcessors::WakefulProcessors(const std::vector<int>& cpus) {
  threads_.reserve(cpus.size());
  for (const int cpu : cpus) threads_.emplace_back(Spin, cpu);
}

WakefulProcessors::~WakefulProcessors() {
  for (std::jthread& thread : threads_) {
    thread.request_stop();
    Hurry(thread);
  }
}

}  // namespace hone::compute
