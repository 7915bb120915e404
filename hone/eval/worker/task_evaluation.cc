// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/task_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hone/measure/statistics.h"

namespace hone {
namespace {

bool IsFinite(const Reading& reading) {
  return std::isfinite(reading.value) && std::isfinite(reading.spread);
}

// What is wrong with the numbers of a sample, if anything.
std::optional<std::string> FaultIn(const Sample& sample, const DomainFacts& facts) {
  for (const MetricFacts& metric : facts.metrics) {
    if (!sample.metrics.contains(metric.name)) {
      return fmt::format("the run reported no {}", metric.name);
    }
  }
  for (const auto& [name, reading] : sample.metrics) {
    if (!IsFinite(reading)) return fmt::format("the run reported a {} that is not finite", name);
  }
  return std::nullopt;
}

void DropBadObservations(Sample& sample) {
  std::erase_if(sample.observations, [&](const auto& observation) {
    if (std::isfinite(observation.second)) return false;
    sample.marks.push_back(fmt::format("{} was not finite", observation.first));
    return true;
  });
}

Metric Summarize(const MetricFacts& facts, const std::vector<Reading>& readings) {
  Metric metric{facts.name, facts.unit, 0, 0, static_cast<std::int64_t>(readings.size())};
  if (readings.size() == 1) {  // One run knows only what it said of its own spread.
    metric.value = readings.front().value;
    metric.spread = readings.front().spread;
    return metric;
  }
  std::vector<double> values;
  values.reserve(readings.size());
  for (const Reading& reading : readings) values.push_back(reading.value);
  metric.value = HodgesLehmann(values);
  metric.spread = StandardErrorOfHodgesLehmann(values);
  return metric;
}

std::vector<Metric> MetricsOf(const std::vector<Sample>& samples, const DomainFacts& facts) {
  std::vector<Metric> metrics;
  for (const MetricFacts& declared : facts.metrics) {
    std::vector<Reading> readings;
    for (const Sample& sample : samples) {
      if (sample.arm == Arm::kCandidate) readings.push_back(sample.metrics.at(declared.name));
    }
    if (!readings.empty()) metrics.push_back(Summarize(declared, readings));
  }
  return metrics;
}

// The end of each text, since a service that failed keeps no evidence.
std::string EndsOf(const std::vector<Evidence>& evidence) {
  constexpr std::size_t kMax = 1000;
  std::string ends;
  for (const Evidence& one : evidence) {
    const std::size_t begin = one.text.size() > kMax ? one.text.size() - kMax : 0;
    const bool is_whole = begin == 0;
    ends += fmt::format("\n{}: {}{}", one.what, is_whole ? "" : "… ", one.text.substr(begin));
  }
  return ends;
}

// One task on its way to an evaluation.
class TaskEvaluation {
 public:
  TaskEvaluation(const Task& task, const EvaluationContext& context, const std::stop_token& stop)
      : task_(task), context_(context), stop_(stop) {
    evaluation_.task = task.id;
    evaluation_.provenance.started = context.clock.Wall();
    evaluation_.provenance.facts = context.watch.Facts();
  }

  Result<Evaluation> Evaluate() {
    if (auto ran = RunAll(); !ran) return ran.error();
    evaluation_.metrics = MetricsOf(evaluation_.samples, context_.facts);
    evaluation_.provenance.finished = context_.clock.Wall();
    return std::move(evaluation_);
  }

 private:
  Result<void> RunAll() {
    if (auto ready = Prepare(Arm::kCandidate); !ready) return ready.error();
    const bool runs_baseline =
        std::find(task_.order.begin(), task_.order.end(), Arm::kBaseline) != task_.order.end();
    if (runs_baseline && HasNotFailed()) {
      if (auto ready = Prepare(Arm::kBaseline); !ready) return ready.error();
    }
    if (!HasNotFailed() || task_.order.empty()) return {};
    if (auto waited = WaitForSlot(); !waited) return waited.error();
    for (std::size_t k = 0; k < task_.order.size() && HasNotFailed();) {
      const std::size_t count = IsPairAt(k) ? 2 : 1;
      if (auto ran = RunNext(k, count); !ran) return ran.error();
      k += count;
    }
    return {};
  }

  Result<void> WaitForSlot() {
    if (!context_.facts.needs_slot || context_.slots == nullptr) return {};
    if (auto hold = context_.slots->Acquire(stop_)) {
      hold_.emplace(std::move(*hold));
      return {};
    }
    return Stopped();
  }

  bool IsPairAt(std::size_t k) const {
    return context_.facts.runs_side_by_side && k + 1 < task_.order.size() &&
           task_.order[k] != task_.order[k + 1];
  }

  Result<void> Prepare(Arm arm) {
    if (stop_.stop_requested()) return Stopped();
    if (!CandidateOf(arm)) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("task {}: its order names the baseline, but it has none", task_.id)};
    }
    Result<RunResult> prepared = context_.session.Prepare(*CandidateOf(arm), stop_);
    if (stop_.stop_requested()) return Stopped();
    if (!prepared) return prepared.error();
    if (auto fine = CheckBaseline(arm, *prepared, "prepare"); !fine) return fine.error();
    Record(*prepared);
    return {};
  }

  RunOrder OrderOf(std::size_t k) const {
    const Arm arm = task_.order[k];
    return {arm,
            *CandidateOf(arm),
            task_.seed,
            task_.position + static_cast<std::int64_t>(k),
            Limit(),
            stop_,
            hold_ ? hold_->slot().cpus : std::vector<int>{}};
  }

  // What the deadline leaves. At the deadline the lease is lost, and with it the run: so it is
  // never the candidate that is blamed for a limit shorter than its own.
  std::chrono::milliseconds Limit() const {
    if (!task_.deadline) return task_.run_timeout;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*task_.deadline - context_.clock.Wall());
    return std::min(task_.run_timeout, std::max(left, std::chrono::milliseconds{1}));
  }

  Result<std::vector<RunResult>> RunInSession(std::size_t k, std::size_t count) {
    if (count == 2) {
      auto both = context_.session.RunTogether(OrderOf(k), OrderOf(k + 1));
      if (!both) return both.error();
      return std::vector<RunResult>{std::move(both->first), std::move(both->second)};
    }
    auto one = context_.session.Run(OrderOf(k));
    if (!one) return one.error();
    return std::vector<RunResult>{std::move(*one)};
  }

  // Makes the runs from the k-th on, one or two at the same time, and records them.
  Result<void> RunNext(std::size_t k, std::size_t count) {
    const auto turn = context_.gate != nullptr ? context_.gate->Enter(stop_) : FreeTurn();
    if (!turn || stop_.stop_requested()) return Stopped();
    const WallTime started = context_.clock.Wall();
    const Clock::Monotonic start = context_.clock.Now();
    context_.watch.Begin();
    Result<std::vector<RunResult>> results = RunInSession(k, count);
    std::vector<std::string> marks = context_.watch.End();
    if (turn->waited().count() > 0) marks.push_back(NotePause(turn->waited()));
    const auto duration = context_.clock.Now() - start;
    if (stop_.stop_requested()) return Stopped();
    if (!results) return results.error();
    for (std::size_t i = 0; i < count; ++i) {
      RunResult& result = (*results)[i];
      AddTimes(result.sample, started, duration);
      result.sample.marks.insert(result.sample.marks.end(), marks.begin(), marks.end());
      Judge(result);
      // Both are judged before either is kept, so that a failing baseline is seen.
      if (auto fine = CheckBaseline(task_.order[k + i], result, "run"); !fine) return fine.error();
    }
    for (std::size_t i = 0; i < count && HasNotFailed(); ++i) {
      Keep(task_.order[k + i], (*results)[i]);
    }
    return {};
  }

  static std::optional<PauseGate::Turn> FreeTurn() { return PauseGate::Turn(nullptr, {}); }

  std::string NotePause(Clock::Duration waited) {
    paused_ += std::chrono::duration_cast<std::chrono::microseconds>(waited);
    evaluation_.provenance.facts[kPausedFact] = fmt::format("{}", paused_.count());
    return fmt::format("begun after a pause of {:.1f} s",
                       std::chrono::duration<double>(waited).count());
  }

  void Judge(RunResult& result) const {
    if (result.outcome != Outcome::kAccepted) return;
    if (auto fault = FaultIn(result.sample, context_.facts)) {
      result.outcome = Outcome::kWrong;
      result.reason = *fault;
    }
  }

  // A domain that knows better than our stopwatch when the work began has said so.
  static void AddTimes(Sample& sample, WallTime started, Clock::Duration duration) {
    if (sample.started == WallTime{}) sample.started = started;
    if (sample.duration.count() == 0) {
      sample.duration = std::chrono::duration_cast<std::chrono::microseconds>(duration);
    }
  }

  void Keep(Arm arm, RunResult& result) {
    Record(result);
    if (!HasNotFailed()) return;
    result.sample.arm = arm;
    DropBadObservations(result.sample);
    evaluation_.samples.push_back(std::move(result.sample));
  }

  // A baseline that fails is not the candidate's fault, so it is an Error; but where the baseline
  // is compared with itself, it is the candidate.
  Result<void> CheckBaseline(Arm arm, const RunResult& result, std::string_view step) const {
    if (arm != Arm::kBaseline || result.outcome == Outcome::kAccepted) return {};
    if (task_.baseline == task_.candidate) return {};
    return Error{Errc::kUnavailable,
                 fmt::format("the baseline itself did not {}: {} ({}){}", step, result.reason,
                             NameOf(result.outcome), EndsOf(result.evidence))};
  }

  // Keeps the outcome and the evidence of one step.
  void Record(RunResult& result) {
    std::move(result.evidence.begin(), result.evidence.end(),
              std::back_inserter(evaluation_.evidence));
    evaluation_.outcome = result.outcome;
    if (result.outcome != Outcome::kAccepted) evaluation_.reason = std::move(result.reason);
  }

  bool HasNotFailed() const { return evaluation_.outcome == Outcome::kAccepted; }

  const Candidate* CandidateOf(Arm arm) const {
    if (arm == Arm::kCandidate) return &task_.candidate;
    return task_.baseline ? &*task_.baseline : nullptr;
  }

  Error Stopped() const {
    return {Errc::kUnavailable, fmt::format("task {}: the worker was told to stop", task_.id)};
  }

  const Task& task_;
  const EvaluationContext& context_;
  const std::stop_token& stop_;
  Evaluation evaluation_;
  std::optional<RunSlots::Hold> hold_;
  std::chrono::microseconds paused_{0};
};

}  // namespace

std::chrono::microseconds PausedIn(const Evaluation& evaluation) {
  const auto found = evaluation.provenance.facts.find(kPausedFact);
  if (found == evaluation.provenance.facts.end()) return {};
  std::int64_t paused = 0;
  const std::string& text = found->second;
  std::from_chars(text.data(), text.data() + text.size(), paused);
  return std::chrono::microseconds{std::max<std::int64_t>(0, paused)};
}

Result<Evaluation> EvaluateTask(const Task& task, const EvaluationContext& context,
                                const std::stop_token& stop) {
  return TaskEvaluation(task, context, stop).Evaluate();
}

}  // namespace hone
