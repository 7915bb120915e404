// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>

#include "hone/eval/task_queue.h"

namespace hone {

// A queue whose client can be made to give up, whatever it waits for: once abandoned, Push and
// Await return the reason. The tasks stay as they are, for another life of the client. What workers
// call goes straight to the queue below, which outlives this.
class AbandonableQueue final : public TaskQueue {
 public:
  explicit AbandonableQueue(TaskQueue& queue) : queue_(queue) {}

  void Abandon(const Error& why);  // From any thread; the first reason stays.

  Result<void> Push(const Task& task) override;
  Result<std::optional<Settlement>> Await(const TaskId& task, Duration patience,
                                          std::stop_token stop) override;

  Result<std::optional<Claim>> Take(const Capabilities& has, Duration term, Duration patience,
                                    std::stop_token stop) override {
    return queue_.Take(has, term, patience, std::move(stop));
  }
  Result<void> Renew(const Lease& lease, Duration term) override {
    return queue_.Renew(lease, term);
  }
  Result<void> Settle(const Lease& lease, const Evaluation& evaluation) override {
    return queue_.Settle(lease, evaluation);
  }
  Result<void> Return(const Lease& lease, const std::string& reason) override {
    return queue_.Return(lease, reason);
  }
  Result<void> Release(const Lease& lease) override { return queue_.Release(lease); }
  Result<void> Cancel(const TaskId& task) override { return queue_.Cancel(task); }
  void Wake() override { queue_.Wake(); }

 private:
  std::optional<Error> Reason();

  TaskQueue& queue_;
  std::stop_source abandoned_;
  std::mutex mutex_;
  std::optional<Error> reason_;  // Protected by mutex_; set before abandoned_ is.
};

}  // namespace hone
