// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/live_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <utility>

#include "hone/eval/worker/task_evaluation.h"

namespace hone {

LiveSession::LiveSession(Domain& domain, Clock& clock, std::string version)
    : domain_(domain),
      clock_(clock),
      version_(std::move(version)),
      watch_(MakeMachineRunWatch(clock)) {}

Result<Evaluation> LiveSession::Evaluate(const Task& task, const std::stop_token& stop) {
  Result<Evaluation> evaluation = Error{Errc::kUnavailable, ""};
  try {
    evaluation = EvaluateOrThrow(task, stop);
  } catch (const std::exception& problem) {
    evaluation = Error{Errc::kUnavailable,
                       fmt::format("domain {}: exception: {}", task.domain, problem.what())};
  }
  if (!evaluation) Close();
  return evaluation;
}

Result<Evaluation> LiveSession::EvaluateOrThrow(const Task& task, const std::stop_token& stop) {
  if (!session_) {
    auto opened = domain_.Open();
    if (!opened) return opened.error();
    session_ = std::move(*opened);
  }
  auto evaluation = EvaluateTask(task, {*session_, domain_.Facts(), *watch_, clock_}, stop);
  if (!evaluation) return evaluation;
  evaluation->provenance.worker = fmt::format("watch-{}", ::getpid());
  evaluation->provenance.version = version_;
  return evaluation;
}

}  // namespace hone
