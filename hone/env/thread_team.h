// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hone::env {

// A fixed number of threads, the caller's among them, that share out the parts of one job at a
// time. One thread makes no further thread at all.
class ThreadTeam {
 public:
  explicit ThreadTeam(std::size_t threads);
  ~ThreadTeam();

  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Calls part(0) … part(count - 1), each once, and returns when all are done. Parts do not throw.
  // Not safe for concurrent use.
  void Do(std::size_t count, const std::function<void(std::size_t)>& part);

 private:
  void Help();
  void TakeParts();

  std::mutex mutex_;
  std::condition_variable called_;
  std::condition_variable done_;

  // Protected by mutex_.
  std::uint64_t jobs_ = 0;
  std::size_t busy_helpers_ = 0;
  bool is_over_ = false;

  // Set while no helper is busy.
  const std::function<void(std::size_t)>* part_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_ = 0;

  std::vector<std::jthread> helpers_;  // Last, so that they find the rest made.
};

}  // namespace hone::env
