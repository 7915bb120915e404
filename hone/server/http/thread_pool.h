// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hone::server {

// A few threads for work that may block. Safe for concurrent use.
class ThreadPool {
 public:
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();  // Finishes what was posted.

  // Runs `work` soon. An exception out of it is logged.
  void Post(std::function<void()> work);

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;  // Protected by mutex_.
  bool is_ending_ = false;                     // Likewise.
  std::vector<std::thread> threads_;           // Last, so that what they use is there.
};

}  // namespace hone::server
