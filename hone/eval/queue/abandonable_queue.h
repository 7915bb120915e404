// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>

#include "hone/eval/queue/forwarding_queue.h"

namespace hone {

// A queue whose client can be made to give up, whatever it waits for: once abandoned, Push and
// Await return the reason. The tasks stay as they are, for another life of the client. What workers
// call goes straight to the queue below, which outlives this.
class AbandonableQueue final : public ForwardingQueue {
 public:
  explicit AbandonableQueue(TaskQueue& queue) : ForwardingQueue(queue) {}

  void Abandon(const Error& why);  // From any thread; the first reason stays.

  Result<void> Push(const Task& task) override;
  Result<std::optional<Settlement>> Await(const TaskId& task, Duration wait_timeout,
                                          std::stop_token stop) override;

 private:
  std::optional<Error> Reason();

  std::stop_source abandoned_;
  std::mutex mutex_;
  std::optional<Error> reason_;  // Protected by mutex_; set before abandoned_ is.
};

}  // namespace hone
