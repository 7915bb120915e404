// SPDX-License-Identifier: Apache-2.0
#include "hone/app/campaign/domain_training.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "hone/app/campaign/local_campaign.h"
#include "hone/app/version.h"
#include "hone/env/domain_environment.h"
#include "hone/env/queue_evaluator.h"
#include "hone/eval/queue/abandonable_queue.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/eval/worker/run_watch.h"
#include "hone/eval/worker/worker_pool.h"

namespace hone::app {
namespace {

// A worker that fails abandons the queue and a run has its own timeout: this is only for what
// nobody thought of.
constexpr std::chrono::hours kEvaluationTimeout{24};

class QueuedTraining final : public DomainTraining {
 public:
  QueuedTraining(TunePlan plan, const Builtins& builtins, Clock& clock, std::stop_token abandon)
      : name_(fmt::format("training-{}", ::getpid())),
        plan_(std::move(plan)),
        queue_(MakeMemoryQueue(clock)),
        abandonable_(*queue_),
        on_abandon_(std::move(abandon), Abandonment{abandonable_}),
        pool_(std::make_unique<WorkerPool>(*queue_, clock, builtins.domains, PoolSettings(clock))) {
  }

  Result<std::unique_ptr<env::Environment>> MakeEnvironment() override {
    env::DomainEnvironmentSettings settings;
    settings.options = plan_.spec.options;
    settings.rule = plan_.spec.rule;
    settings.run_timeout = plan_.spec.run_timeout;
    settings.task_prefix = fmt::format("environment-{}", made_++);
    settings.owner = name_;
    return env::MakeDomainEnvironment(
        *plan_.domain, [this](const Task& task) { return Evaluate(task); }, std::move(settings));
  }

  Result<std::unique_ptr<env::VectorEnvironment>> MakeEnvironments(std::int64_t count) override {
    std::vector<std::unique_ptr<env::Environment>> environments;
    for (std::int64_t i = 0; i < count; ++i) {
      auto environment = MakeEnvironment();
      if (!environment) return environment.error();
      environments.push_back(std::move(*environment));
    }
    return env::VectorEnvironment::Make(std::move(environments), 1);
  }

  std::string Close() override {
    pool_.reset();
    return plan_.domain->DescribeRestore();
  }

 private:
  struct Abandonment {
    AbandonableQueue& queue;
    void operator()() const { queue.Abandon({Errc::kUnavailable, "training: interrupted"}); }
  };

  WorkerPool::Settings PoolSettings(Clock& clock) {
    WorkerPool::Settings pool;
    pool.worker.name = name_;
    pool.worker.version = Version();
    pool.worker.has = LocalCapabilities();
    pool.worker.serves = {name_};
    pool.make_watch = [&clock] { return MakeMachineRunWatch(clock); };
    pool.on_failure = [this](const Error& error) { abandonable_.Abandon(error); };
    return pool;
  }

  // A training has more steps than a memory could keep.
  Result<Evaluation> Evaluate(const Task& task) {
    auto evaluation = env::MakeQueueEvaluator(abandonable_, kEvaluationTimeout)(task);
    if (!evaluation) return evaluation;
    if (auto forgotten = queue_->Forget(task.id); !forgotten) return forgotten.error();
    return evaluation;
  }

  const std::string name_;  // Whose the tasks are, and of the worker, which serves nobody else.
  const TunePlan plan_;
  const std::unique_ptr<TaskQueue> queue_;
  AbandonableQueue abandonable_;
  std::stop_callback<Abandonment> on_abandon_;
  std::unique_ptr<WorkerPool> pool_;  // Null once closed.
  std::int64_t made_ = 0;             // Environments, for the ids of their tasks.
};

}  // namespace

Result<std::unique_ptr<DomainTraining>> MakeDomainTraining(TunePlan plan, const Builtins& builtins,
                                                           Clock& clock, std::stop_token abandon) {
  if (plan.domain->SearchSpace().UnitSize() == 0) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("domain {}: it has no parameters to act on", plan.spec.domain)};
  }
  const std::string missing = WhatIsMissing(plan.domain->Facts().needs, LocalCapabilities());
  if (!missing.empty()) {
    return Error{Errc::kUnsupported, fmt::format("domain {}: {}", plan.spec.domain, missing)};
  }
  return std::make_unique<QueuedTraining>(std::move(plan), builtins, clock, std::move(abandon));
}

}  // namespace hone::app
