// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>

#include "hone/base/clock.h"

namespace hone {

// Before each run a worker goes through here. While the gate is closed nobody begins a run; who is
// in one finishes it. Whoever waits is woken. Safe for concurrent use.
class PauseGate {
 public:
  // A run under way; ends with this.
  class Turn {
   public:
    Turn(PauseGate* gate, Clock::Duration waited) : gate_(gate), waited_(waited) {}
    Turn(Turn&& other) noexcept;
    Turn& operator=(Turn&&) = delete;
    ~Turn();

    Clock::Duration waited() const { return waited_; }  // At the closed gate.

   private:
    PauseGate* gate_;
    Clock::Duration waited_;
  };

  // `on_change` is told, by whichever thread, that IsClosed or IsQuiet may have changed.
  explicit PauseGate(Clock& clock, std::function<void()> on_change = nullptr)
      : clock_(clock), on_change_(std::move(on_change)) {}

  void Close();
  void Open();
  bool IsClosed() const;
  bool IsQuiet() const;  // No run is under way.

  // Waits until the gate is open; nullopt if `stop` was asked for first.
  std::optional<Turn> Enter(const std::stop_token& stop);

 private:
  void Leave();
  void Set(bool is_closed);
  void Notify() const;

  Clock& clock_;
  const std::function<void()> on_change_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_closed_ = false;  // Protected by mutex_.
  int runs_ = 0;            // Likewise.
};

}  // namespace hone
