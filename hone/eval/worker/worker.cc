// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "hone/base/log.h"
#include "hone/eval/queue/queue_rules.h"
#include "hone/eval/worker/task_evaluation.h"

namespace hone {
namespace {

constexpr int kMaxTries = 5;
constexpr std::chrono::milliseconds kWorkerFirstPause{100};
constexpr std::chrono::milliseconds kWorkerMaxPause{6'400};  // Soon there when the queue is back.

// Somebody else took from the domain what it held: to try again would be to fight over it.
std::optional<Error> LossIn(const Result<Evaluation>& evaluation) {
  if (evaluation || evaluation.error().code != Errc::kStale) return std::nullopt;
  return evaluation.error();
}

}  // namespace

Worker::Worker(TaskQueue& queue, DomainCache& domains, RunWatch& watch, Clock& clock,
               WorkerSettings settings, RunSlots* slots)
    : queue_(queue),
      domains_(domains),
      watch_(watch),
      clock_(clock),
      settings_(std::move(settings)),
      slots_(slots),
      heartbeat_(queue, clock, settings_.lease_duration) {}

bool Worker::IsHopeful(const Error& error, int tries) const {
  if (settings_.outlives_outages) {
    return error.code == Errc::kUnavailable || error.code == Errc::kCorrupt;
  }
  return error.code == Errc::kUnavailable && tries < kMaxTries;
}

template <typename Operation>
auto Worker::WithRetries(const std::stop_token& stop, Operation operation)
    -> decltype(operation()) {
  auto pause = kWorkerFirstPause;
  for (int tries = 1;; ++tries) {
    auto result = operation();
    if (result || !IsHopeful(result.error(), tries) || stop.stop_requested()) return result;
    Log(LogLevel::kWarning, "{}; trying again in {} ms", result.error().message, pause.count());
    SleepUntilStop(clock_, pause, stop);
    pause = std::min(2 * pause, kWorkerMaxPause);
  }
}

Result<void> Worker::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Result<std::optional<Claim>> claim = Take(stop);
    if (!claim) return claim.error();
    if (!*claim) continue;
    if (auto handled = Handle(**claim, stop); !handled) return handled;
  }
  CloseSession();
  return {};
}

Result<std::optional<Claim>> Worker::Take(const std::stop_token& stop) {
  const auto wait_timeout = session_ ? settings_.session_idle : kLongest;
  const WorkerIdentity identity{settings_.name, settings_.has, settings_.serves};
  Result<std::optional<Claim>> claim = WithRetries(
      stop, [&] { return queue_.Take(identity, settings_.lease_duration, wait_timeout, stop); });
  if (claim && !*claim) CloseSession();
  return claim;
}

Result<void> Worker::Handle(const Claim& claim, const std::stop_token& stop) {
  std::stop_source run;
  const std::stop_callback pass_on(stop, [&run] { run.request_stop(); });
  heartbeat_.Begin(claim.lease, run);
  LogEvent(LogLevel::kDebug, "taken",
           {{"task", claim.task.id},
            {"worker", settings_.name},
            {"domain", claim.task.domain},
            {"generation", claim.lease.generation}});
  Result<Evaluation> evaluation = Evaluate(claim, run.get_token());
  heartbeat_.StopListening();
  if (!evaluation) CloseSession();  // Who knows what state it is in.
  const std::optional<Error> loss = LossIn(evaluation);
  Result<void> finished;
  if (heartbeat_.IsHeld()) {
    finished = loss ? queue_.Release(claim.lease) : Finish(claim, std::move(evaluation), stop);
  }
  heartbeat_.End();
  if (loss) return *loss;
  if (!finished && finished.error().code == Errc::kStale) {
    LogEvent(LogLevel::kNote, "not settled",
             {{"task", claim.task.id},
              {"worker", settings_.name},
              {"reason", finished.error().message}});
    return {};
  }
  return finished;
}

Result<void> Worker::Finish(const Claim& claim, Result<Evaluation> evaluation,
                            const std::stop_token& stop) {
  if (evaluation) return Settle(claim, std::move(*evaluation), stop);
  if (stop.stop_requested()) return queue_.Release(claim.lease);
  return GiveBack(claim, evaluation.error().message, stop);
}

Result<void> Worker::Settle(const Claim& claim, Evaluation evaluation,
                            const std::stop_token& stop) {
  evaluation.provenance.worker = settings_.name;
  evaluation.provenance.version = settings_.version;
  evaluation.provenance.generation = claim.lease.generation;
  evaluation.provenance.facts.insert(settings_.facts.begin(), settings_.facts.end());
  Result<void> settled = WithRetries(stop, [&] { return queue_.Settle(claim.lease, evaluation); });
  const bool is_refused = !settled && settled.error().code == Errc::kInvalidArgument;
  return is_refused ? GiveBack(claim, settled.error().message, stop) : settled;
}

Result<void> Worker::GiveBack(const Claim& claim, const std::string& reason,
                              const std::stop_token& stop) {
  LogEvent(LogLevel::kNote, "given back",
           {{"task", claim.task.id}, {"worker", settings_.name}, {"reason", reason}});
  return WithRetries(stop, [&] { return queue_.Return(claim.lease, reason); });
}

Result<Evaluation> Worker::Evaluate(const Claim& claim, const std::stop_token& stop) {
  try {
    return EvaluateOrThrow(claim, stop);
  } catch (const std::exception& problem) {
    return Error{Errc::kUnavailable,
                 fmt::format("domain {}: exception: {}", claim.task.domain, problem.what())};
  } catch (...) {
    return Error{Errc::kUnavailable, fmt::format("domain {}: exception", claim.task.domain)};
  }
}

Result<Evaluation> Worker::EvaluateOrThrow(const Claim& claim, const std::stop_token& stop) {
  if (auto opened = OpenSession(claim.task); !opened) return opened.error();
  return EvaluateTask(claim.task,
                      {*session_, domain_->Facts(), watch_, clock_, slots_, settings_.gate}, stop);
}

Result<void> Worker::CheckOwner(const Task& task, std::string_view what) const {
  if (task.owner != kEverybody && settings_.serves.contains(task.owner)) return {};
  return Error{
      Errc::kUnsupported,
      fmt::format("domain {}: it {} this machine, and this worker was not told for whom it "
                  "may; give the task an owner, and start hone worker --for OWNER",
                  task.domain, what)};
}

Result<void> Worker::CheckChange(const Task& task, const DomainFacts& facts) const {
  return facts.changes_host ? CheckOwner(task, "changes") : Result<void>();
}

Result<void> Worker::OpenSession(const Task& task) {
  const bool fits = session_domain_ == task.domain && session_options_ == task.options;
  if (domains_.ReadsHost(task.domain)) {
    if (auto allowed = CheckOwner(task, "reads files of"); !allowed) return allowed;
  }
  if (session_ && fits) return CheckChange(task, domain_->Facts());
  CloseSession();
  Result<std::shared_ptr<Domain>> domain = domains_.Get(task.domain, task.options);
  if (!domain) return domain.error();
  if (auto allowed = CheckChange(task, (*domain)->Facts()); !allowed) return allowed;
  Result<std::unique_ptr<Session>> session = (*domain)->Open();
  if (!session) return session.error();
  domain_ = std::move(*domain);
  session_ = std::move(*session);
  session_domain_ = task.domain;
  session_options_ = task.options;
  return {};
}

void Worker::CloseSession() {
  session_.reset();
  domain_.reset();
}

}  // namespace hone
