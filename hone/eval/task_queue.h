// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/task.h"

namespace hone {

// The right to settle one task, held by one worker at a time. Every claim raises the
// generation, so a worker that stalled past its lease cannot overwrite its successor's result.
struct Lease {
  TaskId task;
  std::uint64_t generation = 0;

  bool operator==(const Lease&) const = default;
};

struct Claim {
  Lease lease;
  Task task;
};

// Why a task ended without an evaluation.
enum class Dropped {
  kCancelled,  // The client no longer wants it.
  kExpired,    // Its deadline passed.
  kAbandoned,  // It used up its attempts: workers died or the service failed each time.
};

// How a task ended.
struct Settlement {
  struct Drop {
    Dropped why;
    std::string reason;
  };
  std::variant<Evaluation, Drop> end;
};

// A queue in which every task is settled exactly once, however many workers die.
// Safe for concurrent use. Implementations must pass eval/task_queue_contract.h.
class TaskQueue {
 public:
  using Duration = std::chrono::milliseconds;

  virtual ~TaskQueue() = default;

  // On return the task is stored; how durably, each implementation says. Pushing a known id
  // again changes nothing, so a client that lost the reply may simply retry; kInvalidArgument if
  // the body differs, or if no worker could evaluate it (see queue_rules.h).
  virtual Result<void> Push(const Task& task) = 0;

  // Takes the oldest task of the highest priority that a worker with `has` can run, waiting up
  // to `patience` or until `stop` is asked for; nullopt if none came. Unless renewed, the task is
  // offered again after `term`.
  virtual Result<std::optional<Claim>> Take(const Capabilities& has, Duration term,
                                            Duration patience, std::stop_token stop = {}) = 0;

  // Extends the lease. kStale: it was lost, and the worker must abandon the run.
  virtual Result<void> Renew(const Lease& lease, Duration term) = 0;

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

  // Waits up to `patience`, or until `stop` is asked for, for the task to be settled; nullopt if
  // it was not. kNotFound: it was never pushed. The waiter is woken; nothing polls.
  virtual Result<std::optional<Settlement>> Await(const TaskId& task, Duration patience,
                                                  std::stop_token stop = {}) = 0;

  // Wakes everyone who waits in Take or Await of this object; they return what there is. A call
  // that has not begun to wait is not affected: stop tokens are for that.
  virtual void Wake() = 0;
};

}  // namespace hone
