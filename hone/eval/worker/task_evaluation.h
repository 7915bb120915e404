// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>

#include "hone/base/clock.h"
#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/domain.h"
#include "hone/eval/worker/pause_gate.h"
#include "hone/eval/worker/run_slots.h"
#include "hone/eval/worker/run_watch.h"

namespace hone {

inline constexpr const char* kPausedFact = "paused_us";

// How long the evaluation stood still because it was paused.
std::chrono::microseconds PausedIn(const Evaluation& evaluation);

// What a block is evaluated with. Everything outlives the call.
struct EvaluationContext {
  Session& session;
  const DomainFacts& facts;
  RunWatch& watch;
  Clock& clock;
  RunSlots* slots = nullptr;  // For domains that need one; null: they run anywhere.
  PauseGate* gate = nullptr;  // Before each run; null: none.
};

// Evaluates one task: prepares its candidates, then makes the runs in the task's order, back to
// back, the k-th at position task.position + k.
//
// If the domain needs a slot, all runs are made in one, which is taken after the preparations. No
// run may last beyond the task's deadline.
//
// Where the domain runs side by side, two neighbours in the order that are of different arms are
// made at the same time, the first in slot 0; the next such pair begins after them. They are
// recorded as if made one after the other, except that a baseline which fails beside a failing
// candidate is an Error: what failed both was not the candidate.
//
// A run that had to wait at the gate has a mark, and the time of all such waits stands in the facts
// of the provenance (kPausedFact), as they are no part of what the evaluation took.
//
// The first failure of the candidate ends it; the evaluation then has that outcome, its reason and
// evidence, and every sample up to it. A run that lacks a declared metric, or reports a number
// that is not finite, is `wrong`. Observations that are not finite are left out, with a mark.
//
// An Error is a failure of the service: the session's own, a baseline that does not prepare or
// run, or kUnavailable after `stop` was asked for. Of the provenance, times and machine facts are
// filled in; worker, version and generation are the caller's.
Result<Evaluation> EvaluateTask(const Task& task, const EvaluationContext& context,
                                const std::stop_token& stop);

}  // namespace hone
