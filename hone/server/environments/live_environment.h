// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/env/domain_environment.h"
#include "hone/env/environment.h"
#include "hone/eval/queue/queue_words.h"
#include "hone/server/environments/deferred_evaluation.h"
#include "hone/server/environments/environment_request.h"

namespace hone::server {

enum class EnvironmentState {
  kOpening,   // Its baseline is being measured.
  kReady,     // No episode was begun.
  kRunning,   // An episode is going on.
  kStepping,  // A step of it is being evaluated, or nobody has asked how it ended.
  kEnded,     // The episode is over.
};

// What a reset gave.
struct EpisodeStart {
  std::int64_t episode = 0;  // From 1.
  std::uint64_t seed = 0;
  std::vector<double> observation;
};

// One step that was evaluated.
struct EnvironmentStep {
  std::int64_t episode = 0;
  std::int64_t number = 0;  // In the episode, from 1.
  std::uint64_t seed = 0;   // Of the episode.
  Task task;                // What was evaluated.
  env::Transition transition;
};

// An environment that a client has open. It evaluates nothing: it says which task it waits for, and
// is told how that ended. Safe for concurrent use once it was opened.
class LiveEnvironment {
 public:
  struct Identity {
    std::string id;         // Its tasks' ids begin with it.
    std::string submitter;  // As Task::submitter.
    WallTime made;
  };

  LiveEnvironment(Identity identity, EnvironmentRequest request, std::unique_ptr<Domain> domain);

  const Identity& identity() const { return identity_; }
  const EnvironmentRequest& request() const { return request_; }  // Its rule is whole.
  const Domain& domain() const { return *domain_; }

  // Once: the task that measures the baseline. kInvalidArgument: there is nothing to act on, or the
  // settings do not fit.
  Result<Task> Open();

  // kConflict while it opens or a step is not over.
  Result<EpisodeStart> Reset(std::optional<std::uint64_t> seed);

  // The task of the next step. That of a step with this number and action which is known already is
  // not new: who lost a reply asks again. kConflict: no episode is going on, a step is not over, or
  // its number is another one.
  struct Begun {
    Task task;
    bool is_new = true;
  };
  Result<Begun> BeginStep(const AskedStep& asked);

  // The task is in the queue. False: it was closed meanwhile, and nobody wants the task.
  bool NotePushed(const TaskId& task);

  // How a task ended; what it does not wait for is nothing to it. After a failure of the service
  // the episode stands where it stood.
  void Conclude(const TaskId& task, const Settlement& end);
  void Fail(const TaskId& task, const Error& error);

  // The task that it waits for, once that is in the queue.
  std::optional<TaskId> AwaitedTask() const;
  // The task of the last step or opening, whether it is over or not; empty after a reset.
  TaskId LastTask() const;

  // What came of a task. An Error is a failure of the service; kConflict: something else was begun
  // since.
  struct Progress {
    bool is_over = false;
    std::shared_ptr<const EnvironmentStep> step;  // Null for the task that opened it.
  };
  Result<Progress> ProgressOf(const TaskId& task) const;

  // Everything about it at one moment.
  struct View {
    EnvironmentState state = EnvironmentState::kOpening;
    env::EnvironmentFacts facts;  // Empty while it opens.
    std::int64_t episode = 0;     // How many were begun.
    std::int64_t steps = 0;       // Of this episode, that are over.
    std::uint64_t seed = 0;       // Of this episode.
    TaskId task;                  // That it waits for.
  };
  View Look() const;

  // From now on nothing is begun. The task that nobody waits for any more, if there is one.
  std::optional<TaskId> Close();

 private:
  struct Pending {
    Task task;
    AskedStep asked;  // With its number; without one: it opens.
    bool is_pushed = false;
  };

  Task Named(Task task);
  Result<void> CheckCanBegin() const;
  Result<void> CheckNumber(std::int64_t number) const;
  void Opened(Evaluation evaluation);
  void Stepped(const Pending& pending, Evaluation evaluation);

  // Constant once it was opened.
  const Identity identity_;
  EnvironmentRequest request_;
  const std::unique_ptr<const Domain> domain_;

  mutable std::mutex mutex_;
  // State below is protected by mutex_.
  DeferredEvaluation deferred_;
  std::unique_ptr<env::Environment> environment_;  // Null while it opens.
  std::int64_t tasks_ = 0;                         // That were named.
  std::optional<Pending> pending_;
  bool is_closed_ = false;
  // Of the last task: what came of it.
  TaskId last_task_;
  AskedStep last_asked_;
  std::shared_ptr<const EnvironmentStep> last_step_;
  std::optional<Error> last_error_;
  // Of the episode.
  bool is_going_on_ = false;
  std::int64_t episode_ = 0;
  std::int64_t steps_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace hone::server
