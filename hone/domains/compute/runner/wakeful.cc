// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/wakeful.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <utility>

#include "hone/domains/compute/runner/relax.h"

namespace hone::compute {
namespace {

constexpr int kSpins = 1000;
// A judge has little memory to give away, and the usual stack may be a large part of it.
constexpr std::size_t kSpinnerStackBytes = 256 << 10;

// Only when nobody else wants this processor. Without both it would take the time of those whom it
// serves.
bool StepBackOn(int cpu) {
  const sched_param none{};
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(cpu), &one);
  return ::sched_setscheduler(0, SCHED_IDLE, &none) == 0 &&
         ::sched_setaffinity(0, sizeof(one), &one) == 0;
}

}  // namespace

// A thread of its own kind, since std::thread has no say in its stack.
struct WakefulProcessors::Spinner {
  explicit Spinner(int processor) : cpu(processor) {}

  bool Start() {
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, kSpinnerStackBytes);
    const int failed = ::pthread_create(&thread, &attributes, Run, this);
    ::pthread_attr_destroy(&attributes);
    return failed == 0;
  }

  static void* Run(void* self) {
    const auto& spinner = *static_cast<Spinner*>(self);
    if (!StepBackOn(spinner.cpu)) return nullptr;
    while (!spinner.is_over) {
      for (int i = 0; i < kSpins; ++i) Relax();
    }
    return nullptr;
  }

  // It hears soon that it should end, however busy its processor is.
  void End() {
    is_over = true;
    const sched_param first{1};
    const sched_param none{};
    if (::pthread_setschedparam(thread, SCHED_FIFO, &first) != 0) {
      ::pthread_setschedparam(thread, SCHED_OTHER, &none);
    }
    ::pthread_join(thread, nullptr);
  }

  const int cpu;
  std::atomic<bool> is_over = false;
  pthread_t thread{};
};

WakefulProcessors::WakefulProcessors(const std::vector<int>& cpus) {
  for (const int cpu : cpus) {
    auto spinner = std::make_unique<Spinner>(cpu);
    if (spinner->Start()) spinners_.push_back(std::move(spinner));
  }
}

WakefulProcessors::~WakefulProcessors() {
  for (const auto& spinner : spinners_) spinner->End();
}

}  // namespace hone::compute
