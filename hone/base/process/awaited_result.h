// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace hone {

// What one thread finds out and others wait for. Set once; safe for concurrent use.
template <typename T>
class AwaitedResult {
 public:
  void Set(T result) {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    is_set_.notify_all();
  }

  // Whether it was set within this time.
  bool WaitFor(std::chrono::milliseconds wait_timeout) {
    std::unique_lock lock(mutex_);
    return is_set_.wait_for(lock, wait_timeout, [this] { return result_.has_value(); });
  }

  const T& Wait() {
    std::unique_lock lock(mutex_);
    is_set_.wait(lock, [this] { return result_.has_value(); });
    return *result_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable is_set_;
  std::optional<T> result_;  // Protected by mutex_ until it is set.
};

}  // namespace hone
