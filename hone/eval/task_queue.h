// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
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
  // the body differs.
  virtual Result<void> Push(const Task& task) = 0;

  // Takes the oldest task of the highest priority that a worker with `has` can run, waiting up
  // to `patience`; nullopt if none came. Unless renewed, the task is offered again after `term`.
  virtual Result<std::optional<Claim>> Take(const Capabilities& has, Duration term,
                                            Duration patience) = 0;

  // Extends the lease. kStale: it was lost, and the worker must abandon the run.
  virtual Result<void> Renew(const Lease& lease, Duration term) = 0;

  // Records the evaluation and retires the task, both or neither. kStale as in Renew.
  virtual Result<void> Settle(const Lease& lease, const Evaluation& evaluation) = 0;

  // Gives the task back after a failure of the service: offered again at once, or abandoned with
  // this reason if its attempts are used up. kStale as in Renew.
  virtual Result<void> Return(const Lease& lease, const std::string& reason) = 0;

  // Settles the task as cancelled, whoever holds it; a task already settled stays as it is.
  virtual Result<void> Cancel(const TaskId& task) = 0;

  // Waits up to `patience` for the task to be settled; nullopt if it was not. kNotFound: it was
  // never pushed. The waiter is woken; nothing polls.
  virtual Result<std::optional<Settlement>> Await(const TaskId& task, Duration patience) = 0;

  // Wakes everyone who waits in Take or Await; they return what there is. For shutting down.
  virtual void Wake() = 0;
};

}  // namespace hone
