// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/thread_pool.h"

#include <exception>
#include <utility>

#include "hone/base/log.h"

namespace hone::server {

ThreadPool::ThreadPool(std::size_t threads) {
  threads_.reserve(threads);
  for (std::size_t k = 0; k < threads; ++k) threads_.emplace_back([this] { Work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void ThreadPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    try {
      work();
    } catch (const std::exception& problem) {
      Log(LogLevel::kError, "the server's pool: exception: {}", problem.what());
    }
    work = nullptr;
    lock.lock();
  }
}

}  // namespace hone::server
