// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/pause_gate.h"

#include <utility>

namespace hone {

PauseGate::Turn::Turn(Turn&& other) noexcept
    : gate_(std::exchange(other.gate_, nullptr)), waited_(other.waited_) {}

PauseGate::Turn::~Turn() {
  if (gate_ != nullptr) gate_->Leave();
}

void PauseGate::Close() { Set(true); }

void PauseGate::Open() { Set(false); }

void PauseGate::Set(bool is_closed) {
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = is_closed;
  }
  changed_.notify_all();
  Notify();
}

bool PauseGate::IsClosed() const {
  const std::lock_guard lock(mutex_);
  return is_closed_;
}

bool PauseGate::IsQuiet() const {
  const std::lock_guard lock(mutex_);
  return runs_ == 0;
}

std::optional<PauseGate::Turn> PauseGate::Enter(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  Clock::Duration waited{0};
  if (is_closed_) {
    const Clock::Monotonic begin = clock_.Now();
    if (!changed_.wait(lock, stop, [this] { return !is_closed_; })) return std::nullopt;
    waited = clock_.Now() - begin;
  }
  ++runs_;
  return Turn(this, waited);
}

void PauseGate::Leave() {
  bool is_last = false;
  {
    const std::lock_guard lock(mutex_);
    is_last = --runs_ == 0 && is_closed_;
  }
  if (is_last) Notify();
}

void PauseGate::Notify() const {
  if (on_change_) on_change_();
}

}  // namespace hone
