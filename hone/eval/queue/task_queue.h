// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/eval/queue/queue_words.h"

namespace hone {

// A queue in which every task is settled exactly once, however many workers die.
// Safe for concurrent use. Implementations must pass eval/queue/task_queue_contract.h; what each
// promises besides is in docs/queue.md.
//
// Whoever waits is woken; nothing polls. Leases and deadlines that run out take effect with
// nobody's help: everyone who waits for anything notices them in time.
class TaskQueue {
 public:
  using Duration = std::chrono::milliseconds;

  virtual ~TaskQueue() = default;

  // On return the task is stored; how durably, each implementation says. Pushing a known id
  // again changes nothing, so a client that lost the reply may simply retry; kConflict if the body
  // differs, kInvalidArgument if no worker could evaluate it (see queue_rules.h).
  virtual Result<void> Push(const Task& task) = 0;

  // Takes the first task of an owner in `identity.serves` that a worker with `identity.has` can
  // run, waiting up to `wait_timeout` or until `stop` is asked for; nullopt if none came. Unless
  // renewed, the task is offered again after `lease_duration`. First is the one with the earliest
  // time of pushing, each level of priority counting as kHeadStart earlier: so no task waits for
  // ever.
  virtual Result<std::optional<Claim>> Take(const WorkerIdentity& identity, Duration lease_duration,
                                            Duration wait_timeout, std::stop_token stop = {}) = 0;

  // Extends the lease. kStale: it was lost, and the worker must abandon the run.
  virtual Result<void> Renew(const Lease& lease, Duration lease_duration) = 0;

  // Records the evaluation and retires the task, both or neither. kStale as in Renew.
  virtual Result<void> Settle(const Lease& lease, const Evaluation& evaluation) = 0;

  // Gives the task back after a failure of the service: offered again at once, or abandoned with
  // this reason if its attempts are used up. kStale as in Renew.
  virtual Result<void> Return(const Lease& lease, const std::string& reason) = 0;

  // Gives the task back untried, without counting an attempt: for a worker that is told to stop.
  // kStale as in Renew.
  virtual Result<void> Release(const Lease& lease) = 0;

  // Settles the task as cancelled, whoever holds it; a task already settled stays as it is.
  // kNotFound: it was never pushed.
  virtual Result<void> Cancel(const TaskId& task) = 0;

  // Waits up to `wait_timeout`, or until `stop` is asked for, for the task to be settled; nullopt
  // if it was not. kNotFound: it was never pushed.
  virtual Result<std::optional<Settlement>> Await(const TaskId& task, Duration wait_timeout,
                                                  std::stop_token stop = {}) = 0;

  // Where the task stands and, if it is settled, how it ended. kNotFound: it was never pushed.
  virtual Result<TaskView> Look(const TaskId& task) = 0;
  virtual Result<QueueCounts> Count() = 0;

  // Shows the worker to everyone for `lease_duration`, in place of what it announced before; the
  // queue fills in `seen`. Dismiss takes it away at once, and need not find it.
  virtual Result<void> Announce(const WorkerCard& card, Duration lease_duration) = 0;
  virtual Result<void> Withdraw(const std::string& worker) = 0;
  virtual Result<std::vector<WorkerCard>> Workers() = 0;  // By name.

  // The feed: tasks settled after the one with this sequence, in the order in which they were, at
  // most `max` of them. If there is none yet, waits for one as Await does; empty if none came.
  // Sequences only rise; they may leave some out, and forgotten tasks are missing.
  virtual Result<std::vector<Settled>> SettledAfter(std::uint64_t sequence, std::size_t max,
                                                    Duration wait_timeout,
                                                    std::stop_token stop = {}) = 0;

  // The feed backwards, without waiting: those settled before this sequence, the newest first.
  virtual Result<std::vector<Settled>> SettledBefore(std::uint64_t sequence, std::size_t max) = 0;

  // The sequence of the newest in the feed; 0 if there never was one.
  virtual Result<std::uint64_t> LastSettled() = 0;

  // As if the task had never been pushed: the same id may be pushed again, with any body. No lease
  // from before is good for it then. kNotFound: it is not there; kStale: it is not settled.
  virtual Result<void> Forget(const TaskId& task) = 0;

  // Forgets the tasks that were settled longest ago, as long as that was before `time`, and at most
  // `max` of them. The number forgotten; if it is `max`, there may be more.
  virtual Result<std::int64_t> ForgetSettledBefore(WallTime time, std::size_t max) = 0;

  // Wakes everyone who waits in this object; they return what there is. A call that has not begun
  // to wait is not affected: stop tokens are for that.
  virtual void Wake() = 0;
};

}  // namespace hone
