// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace hone::app {

// Lets campaigns that measure one machine run one after another: side by side each would be the
// other's noise. Safe for concurrent use.
class CampaignTurns {
 public:
  // Blocks until it is the caller's turn. False: a stop was asked for; then there is nothing to
  // end.
  bool Begin(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !is_taken_; })) return false;
    is_taken_ = true;
    return true;
  }
  void End() {
    {
      const std::lock_guard lock(mutex_);
      is_taken_ = false;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_taken_ = false;  // Protected by mutex_.
};

}  // namespace hone::app
