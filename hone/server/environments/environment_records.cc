// SPDX-License-Identifier: Apache-2.0
#include "hone/server/environments/environment_records.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/json/records.h"
#include "hone/core/reward.h"
#include "hone/measure/statistics.h"

namespace hone::server {
namespace {

constexpr std::size_t kMaxEvidence = 16;
constexpr std::size_t kMaxEvidenceBytes = 400;  // Of each; all of it is with the task.

const char* NameOf(EnvironmentState state) {
  switch (state) {
    case EnvironmentState::kOpening:
      return "opening";
    case EnvironmentState::kReady:
      return "ready";
    case EnvironmentState::kRunning:
      return "running";
    case EnvironmentState::kStepping:
      return "stepping";
    case EnvironmentState::kEnded:
      return "ended";
  }
  return "";
}

Json FiniteOrNull(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json SecondsJson(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

Json LineOf(const LiveEnvironment& environment, const LiveEnvironment::View& view) {
  return {{"id", environment.identity().id},
          {"domain", environment.request().domain},
          {"state", NameOf(view.state)},
          {"made_at", IsoTime(environment.identity().made)},
          {"episode", view.episode},
          {"step", view.steps},
          {"seed", view.episode == 0 ? Json() : Json(view.seed)},
          {"task", view.task.empty() ? Json() : Json(view.task)}};
}

Json ActionSpaceJson(const Space& space) {
  Json json = ToJson(space);
  json["coordinates"] = CoordinateNames(space);
  Json texts = Json::array();
  for (const LinearConstraint& constraint : space.constraints()) {
    texts.push_back(ToText(constraint));
  }
  json["constraint_texts"] = std::move(texts);
  return json;
}

Json FactsJson(const Domain& domain, const env::DomainEnvironmentSettings& settings) {
  const DomainFacts& facts = domain.Facts();
  Json metrics = Json::array();
  for (const MetricFacts& metric : facts.metrics) {
    const bool is_higher_better = metric.direction == Direction::kHigherIsBetter;
    metrics.push_back({{"name", metric.name},
                       {"unit", metric.unit},
                       {"direction", is_higher_better ? "higher_is_better" : "lower_is_better"},
                       {"description", metric.description}});
  }
  return {
      {"metrics", std::move(metrics)},          {"is_deterministic", facts.is_deterministic},
      {"changes_host", facts.changes_host},     {"baseline", ToJson(domain.Baseline().assignment)},
      {"max_steps", settings.max_steps},        {"max_failures", settings.max_failures},
      {"runs_per_step", settings.order.size()}, {"run_limit_ms", settings.run_timeout.count()}};
}

// The mean over the pairs of a step, whose limits are not its business; null without pairs.
Json EstimateJson(const RewardRule& rule, const Evaluation& evaluation) {
  std::vector<double> rewards;
  for (const SamplePair& pair : PairsOf(evaluation)) {
    if (const auto reward = PairReward(rule, pair)) rewards.push_back(*reward);
  }
  if (rewards.empty()) return nullptr;
  return {{"mean", FiniteOrNull(Mean(rewards))},
          {"standard_error", FiniteOrNull(StandardErrorOfMean(rewards))},
          {"count", rewards.size()}};
}

Json MetricListJson(const Evaluation& evaluation) {
  Json list = Json::array();
  for (const Metric& metric : evaluation.metrics) {
    list.push_back({{"name", metric.name},
                    {"unit", metric.unit},
                    {"value", FiniteOrNull(metric.value)},
                    {"spread", FiniteOrNull(metric.spread)},
                    {"count", metric.count}});
  }
  return list;
}

Json EvidenceJson(const Evaluation& evaluation) {
  Json list = Json::array();
  for (const Evidence& one : evaluation.evidence) {
    if (list.size() == kMaxEvidence) break;
    list.push_back({{"what", one.what},
                    {"bytes", one.text.size()},
                    {"text", one.text.substr(0, kMaxEvidenceBytes)}});
  }
  return list;
}

std::set<std::string> MarksOf(const Evaluation& evaluation) {
  std::set<std::string> marks;
  for (const Sample& sample : evaluation.samples) {
    marks.insert(sample.marks.begin(), sample.marks.end());
  }
  return marks;
}

Json StepInfoJson(const RewardRule& rule, const EnvironmentStep& step) {
  const Evaluation& evaluation = step.transition.evaluation;
  const std::chrono::duration<double> time =
      evaluation.provenance.finished - evaluation.provenance.started;
  return {{"task", step.task.id},
          {"outcome", NameOf(evaluation.outcome)},
          {"reason", evaluation.reason},
          {"action", ToJson(step.task.candidate.assignment)},
          {"metrics", MetricListJson(evaluation)},
          {"evidence", EvidenceJson(evaluation)},
          {"estimate", EstimateJson(rule, evaluation)},
          {"marks", MarksOf(evaluation)},
          {"worker", evaluation.provenance.worker},
          {"seconds", time.count()}};
}

}  // namespace

Json EnvironmentJson(const LiveEnvironment& environment, const EnvironmentSettings& settings) {
  const LiveEnvironment::View view = environment.Look();
  const EnvironmentRequest& request = environment.request();
  Json json = LineOf(environment, view);
  json["options"] = request.settings.options;
  json["environment_seed"] = request.seed;
  json["idle_timeout_s"] = SecondsJson(settings.idle_timeout);
  json["action_space"] = ActionSpaceJson(environment.domain().SearchSpace());
  json["observation_space"] = {{"names", view.facts.observations}};
  json["reward"] = ToJson(request.settings.rule);
  json["facts"] = FactsJson(environment.domain(), request.settings);
  if (!request.owner.empty()) json["owner"] = request.owner;
  return json;
}

Json EnvironmentLine(const LiveEnvironment& environment) {
  return LineOf(environment, environment.Look());
}

Json EpisodeJson(const LiveEnvironment& environment, const EpisodeStart& start) {
  return {{"id", environment.identity().id},
          {"episode", start.episode},
          {"step", 0},
          {"seed", start.seed},
          {"observation", start.observation}};
}

Json StepJson(const LiveEnvironment& environment, const EnvironmentStep& step) {
  const env::Transition& transition = step.transition;
  return {{"id", environment.identity().id},
          {"episode", step.episode},
          {"step", step.number},
          {"seed", step.seed},
          {"observation", transition.observation},
          {"reward", transition.reward},
          {"terminated", transition.is_terminated},
          {"truncated", transition.is_truncated},
          {"info", StepInfoJson(environment.request().settings.rule, step)}};
}

}  // namespace hone::server
