// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "hone/base/clock.h"
#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/domain.h"
#include "hone/eval/worker/run_watch.h"

namespace hone {

// One session of a domain, held open from task to task by this process, so that what the last run
// put in force stays in force. What a worker does, without a queue, which would keep every task of
// a watch that goes on for weeks. The destructor closes the session, and so puts everything back.
// Not safe for concurrent use.
class LiveSession {
 public:
  // Domain and clock outlive this. Nothing is opened before the first task. The version of the
  // program goes into every evaluation.
  LiveSession(Domain& domain, Clock& clock, std::string version);

  // After an Error the session is closed, for who knows what state it is in; the next task opens
  // another. A stop asked for ends the run soon, with an Error.
  Result<Evaluation> Evaluate(const Task& task, const std::stop_token& stop);

  void Close() { session_.reset(); }

 private:
  Result<Evaluation> EvaluateOrThrow(const Task& task, const std::stop_token& stop);

  Domain& domain_;
  Clock& clock_;
  std::string version_;
  std::unique_ptr<RunWatch> watch_;
  std::unique_ptr<Session> session_;
};

}  // namespace hone
