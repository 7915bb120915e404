// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "hone/core/rng.h"
#include "hone/eval/queue/client_queue.h"
#include "hone/eval/queue/queue_rules.h"

namespace hone::tune {

// A queue that evaluates each task at once, when it is awaited, by asking a function for the
// metrics of every run. A baseline that crashes beside a candidate is dropped. It can be told to
// fail, as a machine does, and keeps what it has settled.
class SimulatedQueue final : public ClientQueue {
 public:
  using Metrics = std::map<std::string, double>;
  // The metrics of one run; empty metrics are a crash. The generator is the run's own.
  using Run = std::function<Metrics(const Candidate& candidate, std::int64_t position, Rng rng)>;

  explicit SimulatedQueue(Run run) : run_(std::move(run)) {}

  void FailAfter(int evaluations) { evaluations_left_ = evaluations; }
  void CallAfter(int evaluations, std::function<void()> call) {
    call_after_ = evaluations;
    call_ = std::move(call);
  }
  // Every run, or this share of them, drawn at random.
  void MarkRunsAs(std::string mark, double share = 1) {
    mark_ = std::move(mark);
    marked_share_ = share;
  }
  void LetRunsTake(std::chrono::milliseconds time) { run_time_ = time; }
  const std::map<TaskId, int>& evaluations() const { return evaluations_; }
  const std::map<TaskId, Settlement>& settled() const { return settled_; }
  const std::map<TaskId, Task>& tasks() const { return tasks_; }

  Result<void> Push(const Task& task) override {
    tasks_.emplace(task.id, task);
    return {};
  }

  Result<std::optional<Settlement>> Await(const TaskId& id, Duration wait_timeout,
                                          std::stop_token stop) override {
    if (const auto found = settled_.find(id); found != settled_.end()) {
      return std::optional<Settlement>(found->second);
    }
    if (wait_timeout == Duration::zero() || stop.stop_requested())
      return std::optional<Settlement>();
    if (evaluations_left_ == 0) return Error{Errc::kUnavailable, "simulated power cut"};
    --evaluations_left_;
    if (call_ && call_after_-- == 0) {
      call_();
      return std::optional<Settlement>();
    }
    ++evaluations_[id];
    settled_[id] = SettlementOf(tasks_.at(id));
    return std::optional<Settlement>(settled_[id]);
  }

  Result<void> Cancel(const TaskId& id) override {
    if (!tasks_.contains(id)) return Error{Errc::kNotFound, id};
    settled_.emplace(id, Settlement{Settlement::Drop{Dropped::kCancelled, "cancelled"}});
    return {};
  }

 private:
  // A baseline that fails beside another candidate is not the candidate's fault.
  Settlement SettlementOf(const Task& task) {
    const Evaluation evaluation = Evaluate(task);
    const bool has_failed = evaluation.outcome != Outcome::kAccepted;
    if (!has_failed || task.baseline == task.candidate) return {evaluation};
    if (task.order[evaluation.samples.size()] == Arm::kCandidate) return {evaluation};
    return {Settlement::Drop{Dropped::kAbandoned,
                             AbandonedReason(3, "the baseline itself did not run")}};
  }

  Evaluation Evaluate(const Task& task) {
    Evaluation evaluation;
    evaluation.task = task.id;
    std::int64_t position = task.position;
    for (const Arm arm : task.order) {
      const Candidate& candidate = arm == Arm::kBaseline ? *task.baseline : task.candidate;
      Sample sample;
      sample.arm = arm;
      sample.started = WallTime{std::chrono::microseconds{position}};
      sample.duration = run_time_;
      const Rng rng = Rng(task.seed).Split(static_cast<std::uint64_t>(position));
      const auto metrics = run_(candidate, position, rng);
      if (metrics.empty()) {
        evaluation.outcome = Outcome::kCrashed;
        evaluation.reason = "simulated crash";
        return evaluation;
      }
      for (const auto& [name, value] : metrics) sample.metrics[name] = Reading{value, 0, 1};
      const bool is_marked = !mark_.empty() && rng.Split("mark").Uniform() < marked_share_;
      if (is_marked) sample.marks = {mark_};
      evaluation.samples.push_back(std::move(sample));
      ++position;
    }
    evaluation.provenance.finished =
        evaluation.provenance.started + run_time_ * static_cast<std::int64_t>(task.order.size());
    return evaluation;
  }

  Run run_;
  std::string mark_;
  double marked_share_ = 1;  // Of the runs.
  std::chrono::milliseconds run_time_{1};
  std::map<TaskId, Task> tasks_;
  std::map<TaskId, Settlement> settled_;
  std::map<TaskId, int> evaluations_;
  int evaluations_left_ = -1;
  int call_after_ = 0;
  std::function<void()> call_;
};

}  // namespace hone::tune
