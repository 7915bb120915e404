// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "hone/base/clock.h"
#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/domain.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/eval/worker/domain_cache.h"
#include "hone/eval/worker/heartbeat.h"
#include "hone/eval/worker/pause_gate.h"
#include "hone/eval/worker/run_slots.h"
#include "hone/eval/worker/run_watch.h"

namespace hone {

struct WorkerSettings {
  std::string name;                          // For provenance.
  std::string version;                       // Of the program, likewise.
  std::map<std::string, std::string> facts;  // Likewise, besides those of the RunWatch.
  Capabilities has;
  std::set<std::string> serves{kEverybody};    // Whose tasks it takes: see WorkerIdentity.
  TaskQueue::Duration lease_duration{30'000};  // How soon a dead worker's task is offered again.
  TaskQueue::Duration session_idle{10'000};    // Without work for so long, the session is closed.
  PauseGate* gate = nullptr;                   // Outlives the worker; null: it never pauses.
  // Waits for a queue that is away or gives wrong answers until it is well again. Else it gives up
  // after some tries.
  bool outlives_outages = false;
};

// Takes tasks from a queue, evaluates each, and settles it. Sessions stay open from one task to
// the next of the same domain and options.
//
// It changes its host only for an owner whom it was told to serve: such a task of nobody is given
// back unopened, wherever it came from.
//
// A failure of the domain, or an exception out of it, gives the task back, to be tried again; but
// kStale, which says that somebody else took what the domain held, ends the worker. A lease lost
// on the way ends the run and settles nothing. A worker that is told to stop ends its
// run and releases the task: stopping is nobody's failure, so it counts no attempt.
class Worker {
 public:
  // Everything passed by reference outlives the worker. Without slots, everything runs anywhere.
  Worker(TaskQueue& queue, DomainCache& domains, RunWatch& watch, Clock& clock,
         WorkerSettings settings, RunSlots* slots = nullptr);

  // Works until `stop` is asked for. An Error means that the domain lost what it held, or that the
  // queue failed, after some retries if there was hope (see outlives_outages); the task in hand, if
  // any, is offered again when its lease runs out.
  Result<void> Run(const std::stop_token& stop);

 private:
  // Does it again, with longer and longer pauses, for as long as there is hope.
  template <typename Operation>
  auto WithRetries(const std::stop_token& stop, Operation operation) -> decltype(operation());
  bool IsHopeful(const Error& error, int tries) const;
  Result<std::optional<Claim>> Take(const std::stop_token& stop);
  Result<void> Handle(const Claim& claim, const std::stop_token& stop);
  Result<void> Finish(const Claim& claim, Result<Evaluation> evaluation,
                      const std::stop_token& stop);
  Result<void> Settle(const Claim& claim, Evaluation evaluation, const std::stop_token& stop);
  Result<void> GiveBack(const Claim& claim, const std::string& reason, const std::stop_token& stop);
  Result<Evaluation> Evaluate(const Claim& claim, const std::stop_token& stop);
  Result<Evaluation> EvaluateOrThrow(const Claim& claim, const std::stop_token& stop);
  Result<void> CheckOwner(const Task& task, std::string_view what) const;
  Result<void> CheckChange(const Task& task, const DomainFacts& facts) const;
  Result<void> OpenSession(const Task& task);
  void CloseSession();

  // Constant after construction.
  TaskQueue& queue_;
  DomainCache& domains_;
  RunWatch& watch_;
  Clock& clock_;
  const WorkerSettings settings_;
  RunSlots* const slots_;

  Heartbeat heartbeat_;
  std::string session_domain_;
  Options session_options_;
  std::shared_ptr<Domain> domain_;
  std::unique_ptr<Session> session_;  // Of domain_, so destroyed before it.
};

}  // namespace hone
