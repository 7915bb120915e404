// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hone/eval/queue/task_queue.h"

namespace hone {

// Hands everything on to another queue, which outlives it: for queues that change a part of that.
class ForwardingQueue : public TaskQueue {
 public:
  explicit ForwardingQueue(TaskQueue& below) : below_(below) {}

  Result<void> Push(const Task& task) override { return below_.Push(task); }
  Result<std::optional<Claim>> Take(const WorkerIdentity& identity, Duration lease_duration,
                                    Duration wait_timeout, std::stop_token stop) override {
    return below_.Take(identity, lease_duration, wait_timeout, std::move(stop));
  }
  Result<void> Renew(const Lease& lease, Duration lease_duration) override {
    return below_.Renew(lease, lease_duration);
  }
  Result<void> Settle(const Lease& lease, const Evaluation& evaluation) override {
    return below_.Settle(lease, evaluation);
  }
  Result<void> Return(const Lease& lease, const std::string& reason) override {
    return below_.Return(lease, reason);
  }
  Result<void> Release(const Lease& lease) override { return below_.Release(lease); }
  Result<void> Cancel(const TaskId& task) override { return below_.Cancel(task); }
  Result<std::optional<Settlement>> Await(const TaskId& task, Duration wait_timeout,
                                          std::stop_token stop) override {
    return below_.Await(task, wait_timeout, std::move(stop));
  }
  Result<TaskView> Look(const TaskId& task) override { return below_.Look(task); }
  Result<QueueCounts> Count() override { return below_.Count(); }
  Result<void> Announce(const WorkerCard& card, Duration lease_duration) override {
    return below_.Announce(card, lease_duration);
  }
  Result<void> Withdraw(const std::string& worker) override { return below_.Withdraw(worker); }
  Result<std::vector<WorkerCard>> Workers() override { return below_.Workers(); }
  Result<std::vector<Settled>> SettledAfter(std::uint64_t sequence, std::size_t max,
                                            Duration wait_timeout, std::stop_token stop) override {
    return below_.SettledAfter(sequence, max, wait_timeout, std::move(stop));
  }
  Result<std::vector<Settled>> SettledBefore(std::uint64_t sequence, std::size_t max) override {
    return below_.SettledBefore(sequence, max);
  }
  Result<std::uint64_t> LastSettled() override { return below_.LastSettled(); }
  Result<void> Forget(const TaskId& task) override { return below_.Forget(task); }
  Result<std::int64_t> ForgetSettledBefore(WallTime time, std::size_t max) override {
    return below_.ForgetSettledBefore(time, max);
  }
  void Wake() override { below_.Wake(); }

 protected:
  TaskQueue& below() { return below_; }

 private:
  TaskQueue& below_;
};

}  // namespace hone
