// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "hone/core/result.h"
#include "hone/eval/queue/task_queue.h"

namespace hone::server {

// What the queue said when it was asked last, for those who ask how things stand: a thread of its
// own waits for a queue that hangs, they do not.
class Pulse {
 public:
  struct Beat {
    QueueCounts counts;
    std::vector<WorkerCard> workers;
  };

  // The queue outlives it. What it said is known for `memory` while it says no more.
  explicit Pulse(TaskQueue& queue, std::chrono::milliseconds memory = std::chrono::seconds{5});
  ~Pulse();

  // As it is now, if the queue answers at once; what it said last, if it is only slow; else
  // kUnavailable. Waits for a twentieth of a second, and not at all while it is known that the
  // queue hangs.
  Result<Beat> Feel();

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  void Work(const std::stop_token& stop);
  Result<Beat> Ask();

  TaskQueue& queue_;
  const std::chrono::milliseconds memory_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  // Protected by mutex_.
  std::uint64_t wanted_ = 0;    // The number of the newest question,
  std::uint64_t answered_ = 0;  // and of the newest that has an answer.
  SteadyTime asked_at_;         // The first that has none.
  bool hangs_ = false;
  Result<Beat> last_ = Error{Errc::kUnavailable, "the queue has not answered yet"};
  std::jthread thread_;  // Last: it uses all the others.
};

}  // namespace hone::server
