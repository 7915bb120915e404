// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hone/core/check.h"
#include "hone/core/rng.h"
#include "hone/tune/watch/watch.h"

namespace hone::tune {

// A live service for tests: a function gives the true metrics of a candidate at the k-th run, and
// the first metric is noisy. Everything that happens is kept.
class FakeService {
 public:
  using Metrics = std::map<std::string, double>;
  // Empty metrics are a crash. `run` counts from 0.
  using Truth = std::function<Metrics(const Assignment& values, std::int64_t run)>;

  FakeService(Space space, Truth truth, double noise = 0.02)
      : truth_(std::move(truth)), noise_(noise) {
    subject.domain = "fake";
    subject.space = std::move(space);
    subject.originals = {subject.space.Defaults(), ""};
    subject.rule.objectives = {{"rate"}};
  }

  Result<WatchSummary> Watch(const WatchSettings& settings) {
    noise_rng_ = Rng(settings.seed).Split("noise");
    return WatchOver(subject, settings,
                     {.measure = [this](const Task& task) { return Measure(task); },
                      .record = [this](const WatchEvent& event) -> Result<void> {
                        events.push_back(event);
                        return {};
                      },
                      .rest = [this] { ++rests; },
                      .is_over = [this] { return is_over && is_over(); }});
  }

  // Of one kind, in order; runs are kept apart.
  std::vector<WatchEvent> Of(WatchEvent::Kind kind) const {
    std::vector<WatchEvent> found;
    for (const WatchEvent& event : events) {
      if (event.kind == kind) found.push_back(event);
    }
    return found;
  }

  WatchSubject subject;
  std::function<bool()> is_over;
  std::function<std::optional<Error>(std::int64_t run)> fail;  // May be null.
  std::function<std::vector<std::string>()> marks;             // Of a run's sample; may be null.
  std::vector<WatchEvent> events;
  std::vector<Candidate> runs;
  std::int64_t rests = 0;

 private:
  Result<Evaluation> Measure(const Task& task) {
    HONE_CHECK(task.order.size() == 1);
    const auto run = static_cast<std::int64_t>(runs.size());
    runs.push_back(task.candidate);
    if (fail) {
      if (const auto error = fail(run)) return *error;
    }
    Evaluation evaluation;
    evaluation.task = task.id;
    const Metrics metrics = truth_(task.candidate.assignment, run);
    if (metrics.empty()) {
      evaluation.outcome = Outcome::kCrashed;
      evaluation.reason = "the service crashed";
      evaluation.evidence = {{"service: errors", "no such table"}};
      return evaluation;
    }
    Sample sample;
    if (marks) sample.marks = marks();
    for (const auto& [name, value] : metrics) {
      const double factor = name == "rate" ? std::exp(noise_ * noise_rng_.Normal()) : 1;
      sample.metrics[name] = {.value = value * factor};
    }
    evaluation.samples.push_back(sample);
    return evaluation;
  }

  Truth truth_;
  double noise_;
  Rng noise_rng_{0};
};

inline Parameter ParameterOf(const std::string& name, const Kind& kind, const Value& value) {
  Parameter parameter;
  parameter.name = name;
  parameter.kind = kind;
  parameter.default_value = value;
  return parameter;
}

// Two ordered parameters in [0, 1] that begin at 0.5.
inline Space TwoRanges() {
  return *Space::Make(
      {ParameterOf("x", RealRange{0, 1, 0.01}, 0.5), ParameterOf("y", RealRange{0, 1, 0.01}, 0.5)});
}

}  // namespace hone::tune
