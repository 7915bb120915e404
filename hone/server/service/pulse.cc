// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/pulse.h"

#include <fmt/format.h>

#include <utility>

namespace hone::server {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kAtOnce{50};

}  // namespace

Pulse::Pulse(TaskQueue& queue, std::chrono::milliseconds memory)
    : queue_(queue),
      memory_(memory),
      thread_([this](const std::stop_token& stop) { Work(stop); }) {}

Pulse::~Pulse() = default;

Result<Pulse::Beat> Pulse::Feel() {
  std::unique_lock lock(mutex_);
  if (answered_ == wanted_) asked_at_ = SteadyClock::now();
  const std::uint64_t mine = ++wanted_;
  changed_.notify_all();
  if (!hangs_) {
    hangs_ = !changed_.wait_for(lock, kAtOnce, [&] { return answered_ >= mine; });
  }
  const std::chrono::duration<double> silent = SteadyClock::now() - asked_at_;
  if (!hangs_ || silent < memory_) return last_;
  return Error{Errc::kUnavailable,
               fmt::format("the queue has not answered for {:.1f} s", silent.count())};
}

void Pulse::Work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return answered_ < wanted_; })) {
    const std::uint64_t number = wanted_;
    lock.unlock();
    Result<Beat> beat = Ask();
    lock.lock();
    last_ = std::move(beat);
    answered_ = number;
    asked_at_ = SteadyClock::now();  // Those who have asked meanwhile wait from now on.
    hangs_ = false;
    changed_.notify_all();
  }
}

Result<Pulse::Beat> Pulse::Ask() {
  auto counts = queue_.Count();
  if (!counts) return counts.error();
  auto workers = queue_.Workers();
  if (!workers) return workers.error();
  return Beat{std::move(*counts), std::move(*workers)};
}

}  // namespace hone::server
