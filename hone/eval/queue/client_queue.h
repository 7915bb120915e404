// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/eval/queue/task_queue.h"

namespace hone {

// A queue for clients alone, whose tasks need no worker: there is nothing to take, and what only
// workers and servers ask for is kUnsupported. Push, Cancel and Await are left to be written.
class ClientQueue : public TaskQueue {
 public:
  Result<std::optional<Claim>> Take(const WorkerIdentity&, Duration, Duration,
                                    std::stop_token) override {
    return std::optional<Claim>();
  }
  Result<void> Renew(const Lease&, Duration) override { return NotHere(); }
  Result<void> Settle(const Lease&, const Evaluation&) override { return NotHere(); }
  Result<void> Return(const Lease&, const std::string&) override { return NotHere(); }
  Result<void> Release(const Lease&) override { return NotHere(); }
  Result<TaskView> Look(const TaskId&) override { return NotHere(); }
  Result<QueueCounts> Count() override { return NotHere(); }
  Result<void> Announce(const WorkerCard&, Duration) override { return NotHere(); }
  Result<void> Withdraw(const std::string&) override { return NotHere(); }
  Result<std::vector<WorkerCard>> Workers() override { return NotHere(); }
  Result<std::vector<Settled>> SettledAfter(std::uint64_t, std::size_t, Duration,
                                            std::stop_token) override {
    return NotHere();
  }
  Result<std::vector<Settled>> SettledBefore(std::uint64_t, std::size_t) override {
    return NotHere();
  }
  Result<std::uint64_t> LastSettled() override { return NotHere(); }
  Result<void> Forget(const TaskId&) override { return NotHere(); }
  Result<std::int64_t> ForgetSettledBefore(WallTime, std::size_t) override { return NotHere(); }
  void Wake() override {}

 private:
  static Error NotHere() {
    return {Errc::kUnsupported, "queue: it is for its client alone; no worker can use it"};
  }
};

}  // namespace hone
