// SPDX-License-Identifier: Apache-2.0
#include "hone/server/environments/live_environment.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "hone/core/rng.h"

namespace hone::server {
namespace {

// Every client's JSON reads such a seed back to the same number.
constexpr int kBitsLeftOut = 11;

Error Conflict(const char* message) {
  return {Errc::kConflict, fmt::format("environment: {}", message)};
}

Error NotEvaluated(const Settlement::Drop& drop) {
  return {Errc::kUnavailable,
          fmt::format("environment: its task was not evaluated: {}", drop.reason)};
}

}  // namespace

LiveEnvironment::LiveEnvironment(Identity identity, EnvironmentRequest request,
                                 std::unique_ptr<Domain> domain)
    : identity_(std::move(identity)), request_(std::move(request)), domain_(std::move(domain)) {}

Result<Task> LiveEnvironment::Open() {
  auto rule = RuleOf(request_, domain_->Facts().metrics);
  if (!rule) return rule.error();
  request_.settings.rule = std::move(*rule);
  const std::lock_guard lock(mutex_);
  deferred_.Begin();
  const auto made = env::MakeDomainEnvironment(*domain_, deferred_.Evaluator(), request_.settings);
  auto asked = deferred_.TakeAsked();
  if (!asked) return made.error();
  pending_ = Pending{Named(std::move(*asked)), {}};
  return pending_->task;
}

Result<EpisodeStart> LiveEnvironment::Reset(std::optional<std::uint64_t> seed) {
  const std::lock_guard lock(mutex_);
  if (auto can = CheckCanBegin(); !can) return can.error();
  seed_ = seed.value_or(Rng(request_.seed).Split(static_cast<std::uint64_t>(episode_)).Next() >>
                        kBitsLeftOut);
  auto observation = environment_->Reset(seed_);
  if (!observation) return observation.error();
  ++episode_;
  steps_ = 0;
  is_going_on_ = true;
  last_task_.clear();
  last_asked_ = {};
  last_step_ = nullptr;
  last_error_.reset();
  return EpisodeStart{episode_, seed_, std::move(*observation)};
}

Result<LiveEnvironment::Begun> LiveEnvironment::BeginStep(const AskedStep& asked) {
  const std::lock_guard lock(mutex_);
  if (pending_ && asked.number && pending_->asked == asked) return Begun{pending_->task, false};
  if (last_step_ && asked.number && last_asked_ == asked) return Begun{last_step_->task, false};
  if (auto can = CheckCanBegin(); !can) return can.error();
  if (!is_going_on_) {
    return Conflict(episode_ == 0 ? "no episode was begun; POST …/reset"
                                  : "the episode is over; POST …/reset begins the next one");
  }
  if (asked.number) {
    if (auto fit = CheckNumber(*asked.number); !fit) return fit.error();
  }
  deferred_.Begin();
  const auto stepped = environment_->Step(asked.action);
  auto task = deferred_.TakeAsked();
  if (!task) return stepped.error();
  pending_ = Pending{Named(std::move(*task)), {asked.action, steps_ + 1}};
  return Begun{pending_->task};
}

bool LiveEnvironment::NotePushed(const TaskId& task) {
  const std::lock_guard lock(mutex_);
  if (is_closed_ || !pending_ || pending_->task.id != task) return false;
  pending_->is_pushed = true;
  return true;
}

void LiveEnvironment::Conclude(const TaskId& task, const Settlement& end) {
  if (const auto* const drop = std::get_if<Settlement::Drop>(&end.end)) {
    return Fail(task, NotEvaluated(*drop));
  }
  const std::lock_guard lock(mutex_);
  if (!pending_ || pending_->task.id != task) return;
  const Pending pending = std::move(*pending_);
  pending_.reset();
  const Evaluation& evaluation = std::get<Evaluation>(end.end);
  if (environment_) {
    Stepped(pending, evaluation);
  } else {
    Opened(evaluation);
  }
}

void LiveEnvironment::Fail(const TaskId& task, const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!pending_ || pending_->task.id != task) return;
  pending_.reset();
  last_error_ = error;
}

std::optional<TaskId> LiveEnvironment::AwaitedTask() const {
  const std::lock_guard lock(mutex_);
  if (!pending_ || !pending_->is_pushed) return std::nullopt;
  return pending_->task.id;
}

TaskId LiveEnvironment::LastTask() const {
  const std::lock_guard lock(mutex_);
  return last_task_;
}

Result<LiveEnvironment::Progress> LiveEnvironment::ProgressOf(const TaskId& task) const {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return Error{Errc::kNotFound, "environment: it was closed meanwhile"};
  if (last_task_ != task) return Conflict("something else was begun meanwhile");
  if (last_error_) return *last_error_;
  return Progress{!pending_, last_step_};
}

LiveEnvironment::View LiveEnvironment::Look() const {
  const std::lock_guard lock(mutex_);
  View view;
  if (environment_) {
    view.facts = environment_->Facts();
    view.state = pending_        ? EnvironmentState::kStepping
                 : is_going_on_  ? EnvironmentState::kRunning
                 : episode_ == 0 ? EnvironmentState::kReady
                                 : EnvironmentState::kEnded;
  }
  view.episode = episode_;
  view.steps = steps_;
  view.seed = seed_;
  if (pending_) view.task = pending_->task.id;
  return view;
}

std::optional<TaskId> LiveEnvironment::Close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  if (!pending_ || !pending_->is_pushed) return std::nullopt;
  return pending_->task.id;
}

// From here on the task is what is waited for.
Task LiveEnvironment::Named(Task task) {
  task.id = fmt::format("{}-{}", identity_.id, tasks_++);
  task.owner = request_.owner;
  task.needs = request_.needs;
  last_task_ = task.id;
  last_asked_ = {};
  last_step_ = nullptr;
  last_error_.reset();
  return task;
}

Result<void> LiveEnvironment::CheckCanBegin() const {
  if (is_closed_) return Error{Errc::kNotFound, "environment: it was closed meanwhile"};
  if (!environment_) return Conflict("it is being opened; GET …/wait says when it is open");
  if (pending_) {
    return Conflict("a step is under way, or nobody has asked yet how it ended; GET …/wait does");
  }
  return {};
}

Result<void> LiveEnvironment::CheckNumber(std::int64_t number) const {
  if (number == steps_ + 1) return {};
  return Error{Errc::kConflict,
               fmt::format("environment: step {}: the next one of this episode is step {}", number,
                           steps_ + 1)};
}

// What cannot run its baseline is for the client to correct: it would fail again.
void LiveEnvironment::Opened(Evaluation evaluation) {
  if (evaluation.outcome != Outcome::kAccepted) {
    last_error_ = {Errc::kInvalidArgument,
                   fmt::format("environment: domain {}: its baseline was {}: {}", request_.domain,
                               NameOf(evaluation.outcome), evaluation.reason)};
    return;
  }
  deferred_.Answer(std::move(evaluation));
  auto made = env::MakeDomainEnvironment(*domain_, deferred_.Evaluator(), request_.settings);
  if (made) {
    environment_ = std::move(*made);
  } else {
    last_error_ = made.error();
  }
}

void LiveEnvironment::Stepped(const Pending& pending, Evaluation evaluation) {
  deferred_.Answer(std::move(evaluation));
  auto transition = environment_->Step(pending.asked.action);
  if (!transition) {
    last_error_ = transition.error();
    return;
  }
  ++steps_;
  is_going_on_ = !transition->IsEnd();
  last_asked_ = pending.asked;
  last_step_ = std::make_shared<const EnvironmentStep>(
      EnvironmentStep{episode_, steps_, seed_, pending.task, std::move(*transition)});
}

}  // namespace hone::server
