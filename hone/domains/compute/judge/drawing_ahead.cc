// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/drawing_ahead.h"

#include <sched.h>

#include <utility>

namespace hone::compute {
namespace {

// The judge's thread, whose child it is, runs on one processor and before everybody else there.
void RunAside(const std::vector<int>& cpus) {
  const sched_param none{};
  ::sched_setscheduler(0, SCHED_OTHER, &none);
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  ::sched_setaffinity(0, sizeof(set), &set);
}

}  // namespace

DrawingAhead::DrawingAhead(std::function<Result<DrawnInputs>()> draw, const std::vector<int>& cpus,
                           std::size_t threads)
    : draw_(std::move(draw)), wanted_(threads) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this, cpus] { Draw(cpus); });
  }
}

DrawingAhead::~DrawingAhead() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wants_one_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Result<DrawnInputs> DrawingAhead::Next() {
  std::unique_lock lock(mutex_);
  drawn_one_.wait(lock, [this] { return !drawn_.empty(); });
  Result<DrawnInputs> next = std::move(drawn_.front());
  drawn_.pop_front();
  ++wanted_;
  wants_one_.notify_one();
  return next;
}

void DrawingAhead::Draw(const std::vector<int>& cpus) {
  RunAside(cpus);
  std::unique_lock lock(mutex_);
  for (;;) {
    wants_one_.wait(lock, [this] { return is_over_ || wanted_ > 0; });
    if (is_over_) return;
    --wanted_;
    lock.unlock();
    Result<DrawnInputs> drawn = draw_();
    lock.lock();
    drawn_.push_back(std::move(drawn));
    drawn_one_.notify_one();
  }
}

}  // namespace hone::compute
